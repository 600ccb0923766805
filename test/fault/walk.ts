import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { long } from '../sizes.ts'
import { serve } from '../support/fetchers.ts'
import type { Service } from '../support/harness.ts'
import { mail } from '../support/messages.ts'
import { apps, groups, many } from '../support/people.ts'
import { pause } from './load.ts'

const patienceMs = long ? 600_000 : 240_000
const serverMs = 5
const delayMs = 2_000
/** The largest difference between the clocks of processes that synchronize with one clock. */
export const apartMs = 200

/** Two mails with a wait, an attribute change and a webhook between them. */
const canvas = (id: string, kind: string, port: number) => ({
  ...{ id, name: id, state: 'active', class: kind, entry: { by: ['api'], again: 'always' }, first: 'hello' },
  steps: [
    { id: 'hello', type: 'message', message: mail({ subject: `${id} hello` }), next: 'wait' },
    { id: 'wait', type: 'delay', for: `PT${delayMs / 1_000}S`, next: 'note' },
    { id: 'note', type: 'update_user', attributes: { walked: { inc: 1 } }, next: 'call' },
    { id: 'call', type: 'webhook', url: `http://127.0.0.1:${port}/${id}`, next: 'bye' },
    { id: 'bye', type: 'message', message: mail({ subject: `${id} bye` }) },
  ],
})

export type Walk = AsyncDisposable & {
  /** The environment of every worker process. */
  readonly env: Readonly<Record<string, string>>
  readonly server: MailServer
  /** Creates the people and the two canvases, one of them marketing. */
  prepare(service: Service): Promise<void>
  /** Starts all people in both canvases. */
  begin(service: Service): Promise<void>
  /** Waits until the mail server has this many mails. */
  seen(mails: number): Promise<void>
  /** Waits until no work is left. */
  over(db: Db): Promise<void>
  /**
   * Checks that each person went through both canvases this many times, and that nothing came early. `doubts`: how many mails may be
   * uncertain or sent twice. `clocksApartMs`: how much the clocks of two processes differ at most.
   */
  check(db: Db, times: number, doubts: number, clocksApartMs?: number): Promise<string>
}

/** Prepares canvases that people go through during a fault, with a mail server and a server for webhooks. */
export async function openWalk(crowd: number, connections: number): Promise<Walk> {
  const server = await startMailServer()
  server.at('data', () => pause(serverMs).then(() => undefined))
  const called = await serve((_request, response) => response.end())
  const comes = async (what: string, lookMs: number, holds: () => boolean | Promise<boolean>) => {
    for (const untilMs = performance.now() + patienceMs; !(await holds()); await pause(lookMs)) {
      assert.ok(performance.now() < untilMs, what)
    }
  }
  return {
    env: {
      SMTP_URL: server.url,
      SMTP_CONNECTIONS: `${connections}`,
      EASEL_FETCH_ALLOW: `127.0.0.1:${called.port}`,
    },
    server,
    async prepare(service) {
      await service.admin('POST', '/admin/apply', {
        apps: Object.values(apps),
        subscription_groups: Object.values(groups),
        canvases: [canvas('walk', 'transactional', called.port), canvas('stroll', 'marketing', called.port)],
      })
      for (let from = 0; from < crowd; from += 1_000) {
        const attributes = many(Math.min(1_000, crowd - from), (i) => {
          return { external_id: `p${from + i}`, email: `p${from + i}@example.com` }
        })
        const { status, text } = await service.post('/users/track/bulk', { attributes })
        assert.equal(status, 201, text)
      }
    },
    async begin(service) {
      for (const canvas_id of ['walk', 'stroll']) {
        const { status, text } = await service.post('/canvas/trigger/send', { canvas_id, broadcast: true })
        assert.equal(status, 201, text)
      }
    },
    seen: (mails) => comes(`${mails} mails`, 10, () => server.seen.length >= mails),
    over: (db) => comes('everything ends', 250, () => isOver(db)),
    async check(db, times, doubts, clocksApartMs = apartMs) {
      const rows = await listPeople(db, delayMs - clocksApartMs)
      assert.equal(rows.length, crowd)
      for (const { id, walked, entries, decided, called: calls, tooEarly } of rows) {
        assert.deepEqual(entries, Array(2 * times).fill('completed'), id)
        assert.deepEqual([walked, calls, tooEarly], [2 * times, 2 * times, 0], id)
        assert.deepEqual(decided, stepsOf(times), id)
      }
      const keys = new Set(called.seen.map(({ headers }) => headers['idempotency-key']))
      assert.equal(keys.size, 2 * times * crowd, 'the webhook is called once for each person')
      const { uncertain, more } = checkMails(server, await listMails(db), 4 * times * crowd)
      const again = called.seen.length - keys.size
      const counts = `${uncertain} uncertain, ${more} mails again, ${again} calls again`
      assert.ok(uncertain + more <= doubts, counts)
      return counts
    },
    async [Symbol.asyncDispose]() {
      await called.close()
      await server.close()
    },
  }
}

/** Returns the steps of the decisions, one for each mail. */
function stepsOf(times: number): string[] {
  const each = (canvas_id: string, end: string) =>
    many(times, () => [`${canvas_id} bye${end}`, `${canvas_id} hello${end}`]).flat()
  return [...each('stroll', ''), ...each('walk', '')].sort()
}

type Mail = { subject: string; email: string; state: string }

/** Checks that all sent mail arrived: only transactional mail comes twice, and only uncertain mail may be missing. */
function checkMails({ seen }: MailServer, mails: readonly Mail[], count: number) {
  assert.equal(mails.length, count)
  const uncertain = mails.filter(({ state }) => state === 'uncertain')
  assert.ok(mails.every(({ state }) => state === 'accepted' || state === 'uncertain'))
  assert.ok(uncertain.every(({ subject }) => subject.startsWith('stroll')))
  const headerOf = (content: string, name: string) => new RegExp(`^${name}:\\s*(.*?)\\r$`, 'im').exec(content)?.[1]
  const byId = Map.groupBy(seen, ({ content }) => headerOf(content, 'Message-ID'))
  const twice = [...byId.values()].filter((same) => same.length > 1)
  for (const [first] of twice) assert.match(headerOf(first!.content, 'Subject')!, /^walk/)
  assert.ok(byId.size <= count && byId.size >= count - uncertain.length, `${byId.size} of ${count} arrived`)
  return { uncertain: uncertain.length, more: seen.length - byId.size }
}

async function isOver(db: Db): Promise<boolean> {
  const left = await db.query(sql`
    select 1 from dispatch_slot where state in ('waiting', 'held', 'running')
    union all select 1 from entry where state <> 'ended'
    union all select 1 from message where state in ('queued', 'held', 'leased', 'handed_over') limit 1`)
  return left.length === 0
}

type Row = { id: string; walked: number; entries: string[]; decided: string[]; called: number; tooEarly: number }

function listPeople(db: Db, apartAtLeastMs: number): Promise<Row[]> {
  return db.query<Row>(sql`
    select p.external_id as id, (p.custom ->> 'walked')::int4 as walked,
      (select array_agg(e.ended) from entry e where e.bucket = p.bucket and e.profile_id = p.profile_id) as entries,
      (select array_agg(f.id || ' ' || d.step order by f.id || ' ' || d.step) from decision d join flow f using (flow_id)
        where d.bucket = p.bucket and d.profile_id = p.profile_id and d.message_id is not null and d.channel = 'email') as decided,
      (select count(*)::int4 from decision d
        where d.bucket = p.bucket and d.profile_id = p.profile_id and d.channel = 'webhook' and d.reason = 'sent') as called,
      (select count(*)::int4 from message m join message h on h.bucket = m.bucket and h.cause = m.cause and h.step = 'hello'
        where m.bucket = p.bucket and m.profile_id = p.profile_id and m.step = 'bye'
          and m.planned_at < h.planned_at + ${apartAtLeastMs}::int4 * interval '1 millisecond') as "tooEarly"
    from profile p`)
}

function listMails(db: Db): Promise<Mail[]> {
  return db.query<Mail>(sql`
    select m.subject, p.email, m.state from message m join profile p on p.bucket = m.bucket and p.profile_id = m.profile_id
    where m.channel = 'email'`)
}
