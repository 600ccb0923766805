import { generateKeyPairSync } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundMail } from './bound-mail.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { cpuBetween, readCpu } from './cpu.ts'
import { broadcastOf, domain, type MailKind } from './mail-template.ts'
import { median } from './measure.ts'
import { profiled } from './profile.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'
import { drawCustom, emailOf, externalIdOf } from './samples.ts'
import { type Server, startServer } from './server.ts'
import { Sink } from './sink.ts'

/** The default of SMTP_CONNECTIONS. */
const connections = 20
const perBody = 50
const trackersAtOnce = 8
const healthEveryMs = 20
/** How long the last messages may take on a machine that is busy with other work. */
export const idleMsMax = 60_000
const rsaBits = 2048
const seed = 808

/** The measured mails: one with the same links for all people, one with a link of each person, and the first one signed with RSA. */
export const mailNames = ['mails', 'mails, a link of everybody’s own', 'mails, signed'] as const

type MailBench = {
  server: Server
  sink: Sink
  database: Figure['database']
  postmaster: number | undefined
  people: number
}

/**
 * Measures mails a second from the request until a mail server has the last one, with the mail library alone over as many connections as
 * the bound. `p99Ms` is that of `/health` meanwhile.
 */
export async function benchMail(people: number, cluster: Cluster | undefined, nowMs: number): Promise<Figure[]> {
  const database = cluster ? 'postgres' : 'pglite'
  await using directory = makeTemporaryFolder('mail')
  await using sink = new Sink()
  const { port } = await sink.read()
  const databaseUrl = await cluster?.createDatabase('mail')
  const smtpUrl = `smtp://127.0.0.1:${port}`
  await using server = await startServer({ directory: directory.path, smtpUrl, ...(databaseUrl && { databaseUrl }) })
  await addPeople(server, people, nowMs)
  const place = { server, sink, database, postmaster: cluster?.postmaster, people } as const
  const [plain, personal, underKey] = mailNames
  // The first run is a warm-up.
  await send(place, plain, 'same links')
  const mails = await send(place, plain, 'same links')
  const bound = { ...(await boundMail(sink, connections, people)), database, people } as const
  const own = await send(place, personal, 'own link')
  await signMail(server)
  const signed = await send(place, underKey, 'same links')
  return [bound, mails, own, signed]
}

/** Adds people with an e-mail address and random attributes, and with `more` of each. */
export async function addPeople(
  server: Server,
  people: number,
  nowMs: number,
  more: (number: number) => object = () => ({}),
): Promise<void> {
  const random = new Random(seed)
  const attributes = Array.from({ length: people }, (_, i) => {
    const own = { external_id: externalIdOf(i), email: emailOf(i), first_name: `Ann ${i}` }
    return { ...own, ...drawCustom(random, nowMs), ...more(i) }
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

/** Sends a mail to all people and measures it. */
async function send(place: MailBench, what: string, kind: MailKind): Promise<Figure> {
  const { server, sink, database, postmaster, people } = place
  const before = { cpu: readCpu(server.pid, postmaster), sink: await sink.read(), own: process.cpuUsage() }
  await using health = watchHealth(server)
  const startedMs = performance.now()
  const dispatch_id = await profiled(what, server.pid, async () => {
    const accepted = (await server.post('/messages/send', broadcastOf(kind))) as { dispatch_id: string }
    await sink.until(before.sink.messages + people, idleMsMax)
    return accepted.dispatch_id
  })
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

/** Requests `/health` again and again until its durations are read, in milliseconds. */
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

/** Waits until the service has recorded that each person got one message. */
export async function checkDone(server: Server, dispatch_id: string, people: number): Promise<void> {
  const untilMs = performance.now() + idleMsMax
  for (;;) {
    const { dispatch } = (await server.read(`/admin/dispatches/${dispatch_id}`)) as { dispatch: Dispatch }
    if (dispatch.state === 'done' && dispatch.reasons.sent === people) return
    if (performance.now() > untilMs) throw new Error(`some people got no message: ${JSON.stringify(dispatch.messages)}`)
    await sleep(healthEveryMs)
  }
}

type Dispatch = { state: string; reasons: Record<string, number>; messages: Record<string, number> }
