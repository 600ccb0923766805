import { generateKeyPairSync } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundMail } from './bound-mail.ts'
import { Chance } from './chance.ts'
import type { Cluster } from './cluster.ts'
import { cpuBetween, readCpu } from './cpu.ts'
import { drawCustom, emailOf, externalIdOf } from './drawn.ts'
import { makeDirectory } from './leftovers.ts'
import { broadcastOf, domain, type LetterKind } from './letter.ts'
import { median } from './measure.ts'
import type { Figure } from './report.ts'
import { type Server, startServer } from './server.ts'
import { Sink } from './sink.ts'

/** As many as the service opens when nobody says another number. */
const connections = 20
const perBody = 50
const trackersAtOnce = 8
const healthEveryMs = 20
const patienceMs = 15_000
const rsaBits = 2048
const seed = 808

/** What is sent to everybody: the same links, links of everybody’s own, and the first one signed with RSA. */
export const mailNames = ['mails', 'mails, a link of everybody’s own', 'mails, signed'] as const

type Place = {
  server: Server
  sink: Sink
  database: Figure['database']
  postmaster: number | undefined
  people: number
}

/**
 * Mails a second from the request that orders them until a mail server has the last one, beside what the library that speaks to it does
 * alone, over as many connections. `p99Ms` is that of `/health` meanwhile.
 */
export async function benchMail(people: number, cluster: Cluster | undefined, nowMs: number): Promise<Figure[]> {
  const database = cluster ? 'postgres' : 'pglite'
  await using directory = makeDirectory('mail')
  await using sink = new Sink()
  const { port } = await sink.read()
  const databaseUrl = await cluster?.createDatabase('mail')
  const smtpUrl = `smtp://127.0.0.1:${port}`
  await using server = await startServer({ directory: directory.path, smtpUrl, ...(databaseUrl && { databaseUrl }) })
  await addPeople(server, people, nowMs)
  const place = { server, sink, database, postmaster: cluster?.postmaster, people } as const
  const [plain, personal, underKey] = mailNames
  // The first one is what warms up.
  await send(place, plain, 'same links')
  const mails = await send(place, plain, 'same links')
  const bound = { ...(await boundMail(sink, connections, people)), database, people } as const
  const own = await send(place, personal, 'own link')
  await signMail(server)
  const signed = await send(place, underKey, 'same links')
  return [bound, mails, own, signed]
}

async function addPeople(server: Server, people: number, nowMs: number): Promise<void> {
  const chance = new Chance(seed)
  const attributes = Array.from({ length: people }, (_, i) => {
    return { external_id: externalIdOf(i), email: emailOf(i), first_name: `Ann ${i}`, ...drawCustom(chance, nowMs) }
  })
  let at = 0
  const track = async () => {
    while (at < people) {
      const some = attributes.slice(at, at + perBody)
      at += perBody
      await server.post('/users/track', { attributes: some })
    }
  }
  await Promise.all(Array.from({ length: trackersAtOnce }, track))
}

async function signMail(server: Server): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: rsaBits })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await server.add('/admin/dkim_keys', { name: domain, selector: 'bench', private_key })
}

/** One mail to everybody. */
async function send(place: Place, what: string, kind: LetterKind): Promise<Figure> {
  const { server, sink, database, postmaster, people } = place
  const before = { cpu: readCpu(server.pid, postmaster), sink: await sink.read(), own: process.cpuUsage() }
  await using health = watchHealth(server)
  const startedMs = performance.now()
  const { dispatch_id } = (await server.post('/messages/send', broadcastOf(kind))) as { dispatch_id: string }
  await sink.until(before.sink.mails + people, patienceMs)
  const seconds = (performance.now() - startedMs) / 1000
  const cpu = cpuBetween(before.cpu, readCpu(server.pid, postmaster))
  const own = process.cpuUsage(before.own)
  const othersUs =
    cpu.machineUs -
    cpu.nodeUs -
    cpu.databaseUs -
    own.user -
    own.system -
    ((await sink.read()).cpuUs - before.sink.cpuUs)
  const waitedMs = (await health.read()).sort((a, b) => a - b)
  await checkDone(server, dispatch_id, people)
  return {
    what,
    database,
    people,
    value: people / seconds,
    unit: 'mails/s',
    p50Ms: median(waitedMs),
    p99Ms: waitedMs[Math.floor(waitedMs.length * 0.99)]!,
    nodeUs: cpu.nodeUs / people,
    ...(postmaster === undefined ? {} : { databaseUs: cpu.databaseUs / people }),
    otherCores: Math.max(0, othersUs / seconds / 1_000_000),
  }
}

/** Asks how the service is, again and again, until its answers are read: milliseconds of each. */
function watchHealth({ port }: Server): AsyncDisposable & { read(): Promise<number[]> } {
  const spentMs: number[] = []
  let over = false
  const watch = async () => {
    while (!over) {
      const startedMs = performance.now()
      await (await fetch(`http://127.0.0.1:${port}/health`)).arrayBuffer()
      spentMs.push(performance.now() - startedMs)
      await sleep(healthEveryMs)
    }
    return spentMs
  }
  const watching = watch()
  const read = () => {
    over = true
    return watching
  }
  return {
    read,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([read()])
    },
  }
}

/** Everybody has got one mail, and it is written down. */
async function checkDone(server: Server, dispatch_id: string, people: number): Promise<void> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const { dispatch } = (await server.read(`/admin/dispatches/${dispatch_id}`)) as { dispatch: Dispatch }
    if (dispatch.state === 'done' && dispatch.reasons.sent === people) return
    if (performance.now() > untilMs) throw new Error(`not everybody was sent to: ${JSON.stringify(dispatch.messages)}`)
    await sleep(healthEveryMs)
  }
}

type Dispatch = { state: string; reasons: Record<string, number>; messages: Record<string, number> }
