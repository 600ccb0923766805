-- When somebody first and last entered a flow, the control group included; what was there before does not know it.
alter table flow add column first_entry_at timestamptz, add column last_entry_at timestamptz;

-- Whoever waits for their hour has not entered before it: until now they were counted at once, and would be counted again.
update received r set entries = r.entries - e.count
from (
  select bucket, profile_id, flow_id, count(*)::int as count from entry
  where state = 'arriving' and dispatch_id is not null and due_at > entered_at
    and visit = 1 and (select count(*) from jsonb_object_keys(visits)) = 1
  group by bucket, profile_id, flow_id) e
where r.bucket = e.bucket and r.profile_id = e.profile_id and r.flow_id = e.flow_id and r.entries >= e.count;
