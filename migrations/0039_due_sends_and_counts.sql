--! long
-- Due sends are listed by workspace, so that the backlog of one is not read again for each call of another.
create index transactional_send_due_of_workspace on transactional_send (workspace_id, due_at) where due_at is not null;
drop index transactional_send_due;
-- A cohort is counted, and emptied, without reading the members of others.
create index cohort_member_of_cohort on cohort_member (cohort_id);
-- The entries of orders that begin later: nobody stands at their step yet.
create index entry_pending on entry (flow_id, version, step)
  where state = 'arriving' and dispatch_id is not null and due_at > entered_at;
