-- Rows of these come and go all day, and whoever looks for the next one passes those that are gone: they are cleared by number rather than
-- when there are as many as a fifth of the table.
alter table signal set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table entry set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
