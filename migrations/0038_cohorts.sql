-- Groups of people that other programs put together. A cohort is named by the program, its partner, and an id of that program.
create table cohort (
  cohort_id    int primary key,
  workspace_id int not null,
  partner      text not null,
  id           text not null,
  name         text not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  unique (workspace_id, partner, id)
);

create table cohort_member (
  bucket     int not null,
  profile_id bigint not null,
  cohort_id  int not null,
  added_at   timestamptz not null,
  primary key (bucket, profile_id, cohort_id)
);

insert into counter (name, value) values ('cohort', 0);
