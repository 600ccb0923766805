/** SQL of all tallies with their names, also of what is not yet added to them. */
export const talliesSql = `
  select t.subject, n.workspace_id, n.kind, n.name, t.slot, t.part, sum(t.count)::int as count, sum(t.amount) as amount
  from (
    select subject, slot, part, count, amount from tally
    union all
    select u.subject, u.slot, u.part, u.count, u.amount
    from tally_change c cross join lateral unnest(c.subjects, c.parts, c.slots, c.counts, c.amounts) u(subject, part, slot, count, amount)
  ) t left join name n on n.name_id::text = t.subject
  group by t.subject, n.workspace_id, n.kind, n.name, t.slot, t.part`
