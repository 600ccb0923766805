-- Which messages of a flow have yet to follow it: without the state every page would read all those that have followed already.
drop index message_by_flow;
create index message_by_flow on message (flow_id, state) where flow_id is not null and state in ('queued', 'held');
