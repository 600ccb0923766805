import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { peopleCount } from '../../src/messaging/demo/people.ts'
import { startMailServer } from '../servers/smtp.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, startService } from '../support/harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

/** Every end of a message that the demo has, with the fewest messages that have it. */
const ends: Readonly<Record<string, number>> = {
  ...{
    'accepted sent': 2_000,
    'bounced refused_by_server': 3,
    'failed refused_by_server': 3,
    'failed template_error': 1,
  },
  ...{ 'uncertain uncertain': 1, 'suppressed frequency_capped': 20, 'suppressed unsubscribed': 50 },
  ...{ 'suppressed suppressed': 5, 'suppressed no_address': 20 },
}

/** Every end has messages, and each decision about one of their people has a sentence. */
async function checkEnds(db: Db, admin: (path: string) => Promise<Any>): Promise<void> {
  const rows = await db.query<Any>(sql`
    select state, coalesce(reason, '') as reason, count(*)::int as count, min(p.external_id) as external_id
    from message m join profile p on p.bucket = m.bucket and p.profile_id = m.profile_id group by 1, 2`)
  const found = new Map(rows.map((row) => [`${row.state} ${row.reason}`, row]))
  for (const [end, least] of Object.entries(ends)) {
    const row = found.get(end)
    assert.ok(row && row.count >= least, `${end}: ${row?.count}`)
    const { decisions } = await admin(`why?workspace=demo&limit=200&external_id=${row.external_id}`)
    const own = decisions.filter(({ reason }: Any) => reason === row.reason)
    assert.ok(own.length > 0, end)
    for (const each of decisions) assert.ok(each.sentence.length > 5, JSON.stringify(each))
  }
}

/** The demo has more than messages that have ended. */
async function checkStates(db: Db): Promise<void> {
  const [states] = await db.query<Any>(sql`
    select (select count(*)::int from entry where ended = 'control_group') as control,
      (select count(*)::int from entry where ended = 'exited') as exited,
      (select count(*)::int from entry where state = 'waiting') as waiting,
      (select count(*)::int from dispatch_slot where state = 'waiting') as slots,
      (select count(*)::int from suppression where reason in ('hard_bounce', 'spam', 'blocklist')) as suppressions,
      (select count(distinct kind)::int from engagement) as engagements,
      (select count(*)::int from received where cardinality(converted) > 0) as conversions,
      (select count(*)::int from message where ended_at > now() + interval '1 minute') as later`)
  const { later, ...some } = states
  assert.equal(later, 0)
  for (const [what, count] of Object.entries(some)) assert.ok((count as number) > 2, `${what}: ${count}`)
}

for (const database of drawDatabases('the demo')) {
  describe(`the demo (${database})`, () => {
    test('one of two calls at once makes it, with every outcome and a sentence for each, and no mail leaves', async (t) => {
      const mailServer = await startMailServer()
      t.after(() => mailServer.close())
      let db: Db | undefined
      await using service = await startService({
        database,
        env: { SMTP_URL: mailServer.url, EASEL_CLOCK: 'virtual' },
        opened(opened) {
          db = opened
        },
      })
      const admin = async (path: string): Promise<Any> => (await service.admin('GET', `/admin/${path}`)).body
      const someone = await signIn(
        service,
        db!,
        await makeAccount(db!, { appGroup: [{ appGroupId: 'default', appGroupPermissions: ['basic_access'] }] }),
      )
      const forbidden = await someone.send('POST', '/admin/demo')
      assert.equal(forbidden.status, 403)
      assert.match(forbidden.text, /workspaces\.create/)

      const calls = await Promise.all(
        [1, 2].map(() => service.send('POST', '/admin/demo', undefined, { key: service.adminToken })),
      )
      assert.deepEqual(calls.map(({ status }) => status).sort(), [201, 409])
      const made = calls.find(({ status }) => status === 201)!.body as Any
      assert.equal(made.people, peopleCount)
      assert.match(calls.find(({ status }) => status === 409)!.text, /is being loaded already/)
      const again = await service.send('POST', '/admin/demo', undefined, { key: service.adminToken })
      assert.equal(again.status, 409)
      assert.match(again.text, /There is a workspace demo already/)

      const [counted] = await db!.query<Any>(sql`
        select (select count(*)::int from profile) as people, (select count(*)::int from event) as events,
          (select count(*)::int from purchase) as purchases, (select count(distinct currency)::int from purchase) as currencies,
          (select count(*)::int from profile where email !~ '^[a-z0-9.]+@example\\.(com|org|net)$') as foreign_addresses`)
      const { people, events, purchases } = made
      assert.deepEqual(counted, { people, events, purchases, currencies: 3, foreign_addresses: 0 })
      const { segments } = await admin('segments?workspace=demo')
      assert.equal(segments.length, 4)
      const { audit } = await admin('audit?action=workspace.demo')
      assert.deepEqual(audit[0].after, { people, events, purchases })

      await checkEnds(db!, admin)
      await checkStates(db!)
      await eventually('the mail that the demo leaves is in the inbox', async () => {
        return (await admin('inbox?workspace=demo')).messages.length > 0
      })
      const overview = await admin('overview?workspace=demo&hours=168')
      // Some people are merged meanwhile.
      assert.ok(overview.people.count > 0.9 * peopleCount && overview.people.count <= peopleCount)
      const { requests, outcomes, attention } = overview
      assert.ok(requests.ok > 100 && requests.refused > 0 && requests.updates > 100, JSON.stringify(requests))
      assert.ok(outcomes.sent > 100 && outcomes.held > 0, JSON.stringify(outcomes))
      assert.ok(attention.some(({ kind }: Any) => kind === 'uncertain'))
      const { delivery } = await admin('inbox?workspace=demo')
      assert.match(delivery, /its setting mail_delivery is inbox/)
      assert.equal(mailServer.opened, 0)
    })
  })
}
