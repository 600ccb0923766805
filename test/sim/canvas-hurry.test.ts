import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { databases, type Service, type Spawned, spawnService, startService } from '../support/harness.ts'
import { apps, groups, many } from '../support/people.ts'
import { checkCanvases } from './hurry-invariants.ts'
import { drawAct, drawCanvases, type HurriedAct, type HurriedCanvas, plans } from './hurry-programs.ts'

const peopleCount = 18
const actsPerRestart = 30
const betweenActsMs = 120
const connections = 3
const ordersAtOnce = 4
const serverMsMax = 15
const cap = 4
const patienceMs = 240_000
/** The test does not wait for work that is due more than this much later. */
const soonMs = 30_000
/** Most of a day ahead, so that it is not night there while it is night in `UTC`. */
const elsewhere = 'Pacific/Kiritimati'
const ids = many(peopleCount, (i) => `p${i}`)
const isQuiet = (id: string) => Number(id.slice(1)) % 4 === 0
const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: processes cannot share a database'

test('two workers move people correctly through canvases that are paused, published and stopped, and workers that are killed', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  for (let round = 0; round < sizes.canvasHurries; round++) {
    const chance = new Random(seed + round)
    await using stack = new AsyncDisposableStack()
    const server = await startMailServer()
    stack.defer(() => server.close())
    server.at('data', () => pause(chance.below(serverMsMax), undefined))
    const env = { DATABASE_URL: await newDatabase('hurry'), SMTP_URL: server.url, SMTP_CONNECTIONS: `${connections}` }
    let db: Db | undefined
    const opened = (own: Db) => {
      db = own
    }
    const http = stack.use(
      await startService({ env: { ...env, EASEL_ROLE: 'http' }, workspace: workspaceNow(), opened }),
    )
    const worker = { env: { ...env, EASEL_ROLE: 'worker' } }
    const start = {
      killed: async () => stack.use(await spawnService(worker)),
      leaving: async () => stack.use(await startService(worker)),
    }
    const [killed, leaving] = await Promise.all([start.killed(), start.leaving()])
    const workers = { killed, leaving }
    const hurry = new Hurry(db!, http, server, chance, drawCanvases(chance, `h${round}`))
    await hurry.prepare()
    t.diagnostic(await hurry.run(workers, start))
    await workers.killed.stop()
  }
})

/** Returns a workspace with quiet hours around now in its own zone, but not elsewhere. */
function workspaceNow() {
  const hour = new Date().getUTCHours()
  const timeOf = (shift: number) => `${String((hour + 24 + shift) % 24).padStart(2, '0')}:00`
  return {
    settings: {
      time_zone: 'UTC',
      quiet_hours: { start: timeOf(-3), end: timeOf(4) },
      frequency_cap: [{ count: cap, per: 'P1D' }],
    },
    apps: Object.values(apps),
    subscription_groups: Object.values(groups),
  }
}

/** A worker in a separate process, which is killed, and one in this process, which stops in order. */
type Workers = { killed: Spawned; leaving: Service }
type Start = { readonly [which in keyof Workers]: () => Promise<Workers[which]> }

class Hurry {
  readonly #db: Db
  readonly #http: Service
  readonly #server: MailServer
  readonly #chance: Random
  readonly #canvases: readonly HurriedCanvas[]
  readonly #states = new Map<string, 'active' | 'paused' | 'stopped'>()
  readonly #orders = new Map<string, readonly string[] | undefined>()
  readonly #unsubscribed = new Map<string, number>()
  readonly #pausedMs = new Map<string, number>()
  readonly #pauses: { canvas: string; fromMs: number; untilMs: number }[] = []
  #kills = 0

  constructor(db: Db, http: Service, server: MailServer, chance: Random, canvases: readonly HurriedCanvas[]) {
    this.#db = db
    this.#http = http
    this.#server = server
    this.#chance = chance
    this.#canvases = canvases
  }

  async prepare(): Promise<void> {
    await this.#http.admin('POST', '/admin/apply', { canvases: this.#canvases })
    for (const { id } of this.#canvases) this.#states.set(id, 'active')
    await this.#track({
      attributes: ids.map((external_id) => ({
        external_id,
        email: `${external_id}@example.com`,
        plan: this.#chance.pick(plans),
        time_zone: isQuiet(external_id) ? 'UTC' : elsewhere,
      })),
    })
  }

  /** Acts while the workers end in turn: the first one is killed, the next one stops in order. */
  async run(workers: Workers, start: Start): Promise<string> {
    for (let restart = 0; restart < sizes.restartsInHurry; restart++) {
      const leavesAfterMs = this.#chance.below((actsPerRestart * betweenActsMs) / 2)
      await Promise.all([this.#actOften(), pause(leavesAfterMs).then(() => this.#replace(workers, restart, start))])
    }
    for (const { id } of this.#canvases) await this.#turn(id, 'resume')
    await this.#untilIdle('all entries continue', new Date(Date.now() + soonMs))
    for (const { id } of this.#canvases) await this.#turn(id, 'stop')
    await this.#untilIdle('all entries end', new Date(Date.now() + 365 * 86_400_000))
    return checkCanvases(this.#db, [this.#server], {
      ...{ orders: this.#orders, unsubscribed: this.#unsubscribed, pauses: this.#pauses, cap, isQuiet },
      ...{ kills: this.#kills, connections },
    })
  }

  async #actOften(): Promise<void> {
    for (let i = 0; i < actsPerRestart; i++) {
      await this.#act(drawAct(this.#chance, this.#canvases, ids))
      await pause(this.#chance.below(betweenActsMs))
    }
  }

  async #replace(workers: Workers, restart: number, start: Start): Promise<void> {
    if (restart % 2 === 0) {
      this.#kills++
      await workers.killed.kill('SIGKILL')
      workers.killed = await start.killed()
    } else {
      await workers.leaving[Symbol.asyncDispose]()
      workers.leaving = await start.leaving()
    }
  }

  async #act(act: HurriedAct): Promise<void> {
    if (act.kind === 'trigger' || act.kind === 'broadcast') {
      const people = act.kind === 'trigger' ? act.people : undefined
      const recipients = people?.map((external_user_id) => ({ external_user_id }))
      if (recipients?.length === 0) return
      const body = { canvas_id: act.canvas, ...(recipients ? { recipients } : { broadcast: true }) }
      // Several orders at once, so that both workers process the same people.
      await Promise.all(many(1 + this.#chance.below(ordersAtOnce), () => this.#order(body, people)))
    } else if (act.kind === 'event') {
      const time = new Date().toISOString()
      await this.#track({ events: [{ external_id: act.person, name: act.name, time }] })
    } else if (act.kind === 'plan') await this.#track({ attributes: [{ external_id: act.person, plan: act.plan }] })
    else if (act.kind === 'unsubscribe') {
      await this.#track({ attributes: [{ external_id: act.person, email_subscribe: 'unsubscribed' }] })
      if (!this.#unsubscribed.has(act.person)) this.#unsubscribed.set(act.person, Date.now())
    } else if (act.kind === 'publish') {
      if (this.#states.get(act.canvas.id) !== 'active') return
      await this.#http.admin('POST', '/admin/apply', { canvases: [act.canvas] })
    } else await this.#turn(act.canvas, act.kind)
  }

  async #order(body: object, people: readonly string[] | undefined): Promise<void> {
    const answer = await this.#http.post('/canvas/trigger/send', body)
    assert.equal(answer.status, 201, answer.text)
    this.#orders.set(answer.body.dispatch_id, people)
  }

  async #turn(id: string, verb: 'pause' | 'resume' | 'stop'): Promise<void> {
    const state = this.#states.get(id)
    if (state === 'stopped' || (verb !== 'stop' && state !== (verb === 'pause' ? 'active' : 'paused'))) return
    const askedMs = Date.now()
    await this.#http.admin('POST', `/admin/canvases/${id}/${verb}`)
    if (verb === 'pause') this.#pausedMs.set(id, Date.now())
    else if (state === 'paused') this.#pauses.push({ canvas: id, fromMs: this.#pausedMs.get(id)!, untilMs: askedMs })
    this.#states.set(id, verb === 'pause' ? 'paused' : verb === 'resume' ? 'active' : 'stopped')
  }

  async #track(body: object): Promise<void> {
    const { status, text } = await this.#http.post('/users/track', body)
    assert.equal(status, 201, text)
  }

  /** Waits until no work is left that is due until then. */
  async #untilIdle(what: string, until: Date): Promise<void> {
    const untilAt = until.toISOString()
    for (const endMs = performance.now() + patienceMs; ; await pause(100)) {
      const left = await this.#db.query(sql`
        select 'slot' as what, state from dispatch_slot where state in ('waiting', 'held', 'running')
        union all select 'signal', kind from signal
        union all select 'dispatch', state from dispatch where unsettled
        union all select 'flow', state from flow where unsettled
        union all select 'entry', state from entry where state not in ('ended', 'sending')
        union all select 'message', state from message
          where state in ('held', 'leased', 'handed_over') or state = 'queued' and due_at < ${untilAt}::timestamptz
        union all select 'sending', e.ended from entry e where e.state = 'sending' and not exists (
          select 1 from message m where m.bucket = e.bucket and m.cause = e.entry_id and m.state = 'queued')
        limit 10`)
      if (left.length === 0) return
      assert.ok(performance.now() < endMs, `${what}: ${JSON.stringify(left)}`)
    }
  }
}
