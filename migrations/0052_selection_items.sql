--! breaking
-- The items of each selection in its order, so that a selection reads only what it returns. A transaction that writes items of a catalog
-- also writes these rows, so older releases must not run beside this one. A job adds those of the selections that exist already.
create table selection_item (
  bucket       int not null,
  catalog_id   int not null,
  item_id      text collate "C" not null,
  selection_id int not null,
  -- whether the selection sorts from the largest value to the smallest
  descending   boolean not null,
  -- the value by which the selection sorts: the beginning of a text or time, or a number or boolean; null when the item has none
  text_key     text collate "C",
  json_key     jsonb,
  primary key (bucket, catalog_id, item_id, selection_id)
);

create index selection_item_ascending on selection_item (bucket, selection_id, text_key, json_key, item_id) where not descending;
create index selection_item_descending
  on selection_item (bucket, selection_id, text_key desc nulls last, json_key desc nulls last, item_id) where descending;

alter table catalog_selection
  add column selection_id int not null default 0,
  -- whether all its items are in selection_item; a selection that is not filled reads all items of its catalog
  add column is_filled    boolean not null default false;

update catalog_selection s set selection_id = w.n
from (select catalog_id, name, row_number() over (order by catalog_id, name) as n from catalog_selection) w
where s.catalog_id = w.catalog_id and s.name = w.name;

insert into counter (name, value) select 'selection', count(*) from catalog_selection;

alter table catalog_selection alter column selection_id drop default, add unique (selection_id);

-- Selections that have rows in selection_item, also deleted ones until their rows are deleted. A transaction that changes it has locked the
-- row.
alter table catalog add column kept_selections int not null default 0;

update catalog c set kept_selections = (select count(*) from catalog_selection s where s.catalog_id = c.catalog_id);

-- `token` of catalog_cleanup may also be 'selection-' with the id of a deleted selection, whose rows of selection_item are deleted.
