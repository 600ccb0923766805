-- A lock of the session that each process holds has taken the place of this table: it ends with the process.
drop table running_process;
