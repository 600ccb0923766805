import assert from 'node:assert/strict'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { getWorkspace } from '../../src/workspace/settings/selected.ts'
import { addCrowd } from '../support/crowds.ts'
import { onBothDatabases, plansDiffer } from '../support/databases.ts'

const people = 20_000
/** Tables with fewer rows are read as a whole. */
const smallRows = 1_000
const person = 'crowd-7'

/** Every view that has people. `easel_subscriptions` puts the states of all people in order first. */
const views = [
  'easel_people',
  'easel_identifiers',
  'easel_addresses',
  'easel_events',
  'easel_purchases',
  'easel_messages',
  'easel_engagements',
  'easel_decisions',
  'easel_entries',
  'easel_entry_steps',
  'easel_received',
  'easel_cohort_members',
  'easel_app_uses',
]

/** Gives every person a row in each table. `crowd-8` was merged into `crowd-7`. */
async function fill(db: Db, workspace_id: number): Promise<void> {
  await addCrowd(db, workspace_id, 0, people)
  await db.execute(`
    update profile set email = external_id || '@example.com', phone = '+4930123' || right(profile_id::text, 5);
    insert into name (name_id, workspace_id, kind, name)
    values (901, ${workspace_id}, 'event', 'seen'), (902, ${workspace_id}, 'product', 'sku');
    insert into event (profile_id, time, bucket, name_id) select profile_id, '2026-01-05Z', bucket, 901 from profile;
    insert into purchase (profile_id, time, price, bucket, name_id, quantity, currency)
    select profile_id, '2026-01-05Z', 1, bucket, 902, 1, 'EUR' from profile;
    insert into profile_alias (bucket, profile_id, alias_label, alias_name) select bucket, profile_id, 'crm', external_id from profile;
    insert into former_id (bucket, profile_id, external_id, at) select bucket, profile_id, 'old-' || external_id, created_at from profile;
    insert into app_use (bucket, profile_id, app_id, sessions) select bucket, profile_id, 'app', 1 from profile;
    insert into cohort_member (bucket, profile_id, cohort_id, added_at) select bucket, profile_id, 1, created_at from profile;
    insert into cohort (cohort_id, workspace_id, partner, id, name, created_at, updated_at)
    values (1, ${workspace_id}, 'p', 'c', 'Cohort', '2026-01-01Z', '2026-01-01Z');
    insert into received (bucket, profile_id, flow_id, workspace_id) select bucket, profile_id, 1, ${workspace_id} from profile;
    insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, step, visit, entered_at, ended_at, trail)
    select bucket, profile_id, gen_random_uuid(), ${workspace_id}, 1, 1, 'marketing', 'ended', 'a', 1, created_at, created_at,
      jsonb_build_array(jsonb_build_array('a', 1, '')) from profile;
    insert into message (message_id, profile_id, bucket, workspace_id, cause, channel, class, state, planned_at, due_at, bounced_at)
    select profile_id + 1, profile_id, bucket, ${workspace_id}, gen_random_uuid(), 'email', 'marketing', 'bounced', created_at, created_at,
      created_at from profile;
    insert into engagement (bucket, profile_id, message_id, kind, link, first_at, last_at, count)
    select bucket, profile_id, profile_id + 1, 'opened', -1, created_at, created_at, 1 from profile;
    insert into decision (profile_id, time, bucket, workspace_id, cause, channel, reason)
    select profile_id, '2026-01-05Z', bucket, ${workspace_id}, gen_random_uuid(), 'email', 'sent' from profile;
    update profile p set merged_into = k.profile_id, merged_bucket = k.bucket, external_id = null, email = null, phone = null
    from profile k where k.external_id = '${person}' and p.external_id = 'crowd-8';
    analyze`)
}

async function planOf(db: Db, statement: string): Promise<string[]> {
  const rows = await db.query<Record<string, string>>(sql`explain ${raw(statement)}`)
  return rows.map((row) => Object.values(row)[0]!)
}

/** Returns the lines of a plan that read a large table as a whole. */
function wholeReads(plan: readonly string[]): string[] {
  return plan.filter((line) => {
    const [, rows] = /Seq Scan on .* rows=(\d+)/.exec(line) ?? []
    return Number(rows ?? 0) >= smallRows
  })
}

onBothDatabases(
  'one person is found by indexes in every view of people, however many others there are',
  async (open) => {
    const db = await open()
    await bootstrap(db, systemClock(), {})
    const { workspace_id } = await getWorkspace(db)
    await fill(db, workspace_id)
    for (const view of views) {
      const plan = await planOf(db, `select * from ${view} where external_id = '${person}'`)
      assert.deepEqual(wholeReads(plan), [], `${view}\n${plan.join('\n')}`)
      assert.ok(
        plan.some((line) => line.includes('profile_external_id')),
        `${view}\n${plan.join('\n')}`,
      )
    }
    const counts: [string, number][] = []
    for (const view of views) {
      const [row] = await db.query<{ count: string }>(
        sql`select count(*) from ${raw(view)} where external_id = ${person}`,
      )
      counts.push([view, Number(row!.count)])
    }
    // The events and the other rows of the merged person belong to the kept one.
    assert.deepEqual(Object.fromEntries(counts), {
      easel_people: 1,
      easel_identifiers: 5,
      easel_addresses: 2,
      easel_events: 2,
      easel_purchases: 2,
      easel_messages: 2,
      easel_engagements: 4,
      easel_decisions: 2,
      easel_entries: 2,
      easel_entry_steps: 2,
      easel_received: 0,
      easel_cohort_members: 2,
      easel_app_uses: 2,
    })
    const whole = await planOf(db, 'select event, count(*) from easel_events group by event')
    assert.ok(
      !whole.some((line) => /Index .*event_\w+_bucket_profile_id/.test(line)),
      `all events are not read person by person\n${whole.join('\n')}`,
    )
  },
  { citus: plansDiffer },
)
