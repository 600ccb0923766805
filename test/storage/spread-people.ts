import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import { byBucketAndId, type Person } from '../../src/people/identity/person.ts'
import { add, addGroups, at, dispatchId, full, hidden, insert, located, personOf, workspace_id } from './crowd.ts'

/** Eight people, on all of four shards. The last was merged into the first. */
export const people = Array.from({ length: 8 }, (_, i) => personOf(i + 1))
export const [kept, merged] = [people[0]!, people.at(-1)!]
export const byKey = [...people].sort((a, b) => byBucketAndId({ person: a }, { person: b }))
export const address = 'shared@example.com'
export const [shared, sharedState] = [located('email', address), hidden('email', address) as ReturnType<typeof located>]
export const numberOf = (who: Person) => people.indexOf(who) + 1
export const us = (second: number) => Date.parse(at(second)) * 1_000
export const ms = (second: number) => Date.parse(at(second))
export const targets = people.map((who) => ({ profile_id: who.profile_id, message_id: String(numberOf(who)) }))

function messageOf(n: number, state: string) {
  return {
    ...{
      message_id: n,
      workspace_id,
      cause: dispatchId(n),
      step: '',
      visit: 0,
      channel: 'email',
      class: 'marketing',
      state,
    },
    ...{ planned_at: at(n), due_at: at(20 + n), attempts: 0, rates_granted: 0, maybe_sent: false, crashes: 0 },
    ...{ flow_id: 7, address, links: [`https://a.example/${n}`], variant: `v${n}`, ended_at: at(n) },
  }
}

function entryOf(n: number) {
  return {
    ...{
      entry_id: dispatchId(n),
      workspace_id,
      flow_id: n % 2 ? 7 : 8,
      version: 1,
      class: 'marketing',
      dispatch_id: dispatchId(50 + n),
    },
    ...{
      state: n % 3 ? 'waiting' : 'arriving',
      held: false,
      in_control: false,
      step: 's',
      visit: 1,
      visits: { s: 1 },
      is_last: false,
    },
    ...{ due_at: at(30 - n), entered_at: at(n), is_duplicate: false, trail: [['s', ms(40 - n), 0]] },
  }
}

function orderOf(n: number) {
  return {
    dispatch_id: dispatchId(n),
    workspace_id,
    class: 'transactional',
    state: 'active',
    sending: {},
    created_at: at(0),
    updated_at: at(0),
    unsettled: false,
  }
}

function flowOf(flow_id: number) {
  return {
    ...{
      flow_id,
      workspace_id,
      kind: 'canvas',
      id: `f${flow_id}`,
      name: `f${flow_id}`,
      description: '',
      tags: [],
      state: 'active',
    },
    ...{
      class: 'marketing',
      version: 1,
      unsettled: flow_id === 8,
      created_at: at(0),
      updated_at: at(0),
      planned: false,
    },
  }
}

/** Adds the people with one address, and rows in each table that the statements read. */
export async function begin(db: Db): Promise<void> {
  await ensureWeeks(db, ms(0))
  await insert(db, 'workspace', [{ workspace_id, id: 'w', name: 'w', settings: { feed: true }, created_at: at(0) }])
  await addGroups(db)
  for (const who of people) {
    const n = numberOf(who)
    const { membership, inbox: _, ...rows } = full(n)
    const profile = { ...rows.profile, email: address, updated_at: at(n) }
    if (n % 3 === 0) profile.external_id = undefined as never
    const gone = who === merged && { merged_bucket: kept.bucket, merged_into: kept.profile_id }
    const message = who === merged ? [] : [messageOf(n, n % 2 ? 'queued' : 'accepted')]
    await add(db, who, {
      ...rows,
      profile: { ...profile, ...gone },
      message,
      entry: [entryOf(n)],
      work: [],
      membership: n % 2 ? membership : [],
    })
    if (n !== 4) await insert(db, 'dispatch', [orderOf(50 + n)])
    await insert(db, 'transactional_send', [
      {
        dispatch_id: dispatchId(50 + n),
        workspace_id,
        campaign_id: 'c',
        is_current: true,
        expires_at: at(59),
        accepted_at: at(0),
        told: 0,
        attempts: 0,
      },
    ])
  }
  await insert(db, 'message', [{ ...messageOf(8, 'accepted'), bucket: kept.bucket, profile_id: kept.profile_id }])
  await insert(db, 'merged_profile', [
    {
      bucket: kept.bucket,
      profile_id: kept.profile_id,
      from_bucket: merged.bucket,
      from_id: merged.profile_id,
      moved: false,
      at: at(1),
    },
  ])
  await db.query(sql`insert into flow overriding system value
    select * from jsonb_populate_recordset(null::flow, ${JSON.stringify([flowOf(7), flowOf(8)])}::jsonb)`)
  await insert(db, 'address_state', [{ ...sharedState, group_id: 1, state: 'unsubscribed', stamp: at(2) }])
  for (const who of people) {
    const key = hidden('email', `person-${numberOf(who)}@example.com`)
    await insert(db, 'address_state', [{ ...key, group_id: 2, state: 'subscribed', stamp: at(3) }])
  }
}
