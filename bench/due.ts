import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../src/base/clock.ts'
import { boundMail } from './bound-mail.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { cpuBetween, readCpu } from './cpu.ts'
import { addPeople, idleMsMax } from './mail.ts'
import { broadcastOf, everybody } from './mail-template.ts'
import { median } from './measure.ts'
import { profiled } from './profile.ts'
import type { Figure } from './report.ts'
import { type Server, startServer } from './server.ts'
import { Sink } from './sink.ts'

/** The default of SMTP_CONNECTIONS. */
const connections = 20
const minuteMs = 60_000
/** People who are to be due at the next minute have at least this time to enter. */
const enterMsMin = 8_000
const pollMs = 50

export const dueName = 'due together in a canvas until the last mail'
export const boundDueName = 'bound: as many ready mails by the pool alone'

type DueBench = { server: Server; sink: Sink; postmaster: number | undefined; people: number }
type DueRun = { seconds: number; nodeUs: number; databaseUs: number }

/**
 * Measures how long it takes from the end of a wait, which is the same instant for all people, until a mail server has the last of their
 * mails: once in a new service, which is not reported, and then `rounds` times. The bound is the mail library alone. Each round waits for
 * the next minute.
 */
export async function benchDue(
  people: number,
  cluster: Cluster | undefined,
  nowMs: number,
  rounds = 1,
): Promise<Figure[]> {
  const database = cluster ? 'postgres' : 'pglite'
  await using directory = makeTemporaryFolder('due')
  await using sink = new Sink()
  const { port } = await sink.read()
  const databaseUrl = await cluster?.createDatabase('due')
  const smtpUrl = `smtp://127.0.0.1:${port}`
  await using server = await startServer({ directory: directory.path, smtpUrl, ...(databaseUrl && { databaseUrl }) })
  await addPeople(server, people, nowMs)
  const bench: DueBench = { server, sink, postmaster: cluster?.postmaster, people }
  const runs: DueRun[] = []
  for (let round = 0; round <= rounds; round++) runs.push(await measureDue(bench, `due-${round}`))
  const measured = runs.slice(1)
  const bound = await boundMail(sink, connections, people)
  const of = (read: (run: DueRun) => number) => median(measured.map(read))
  const common = { people, unit: 's' } as const
  return [
    { what: boundDueName, database, ...common, value: people / bound.value, nodeUs: bound.nodeUs! },
    {
      ...{ what: dueName, database, ...common, value: of(({ seconds }) => seconds) },
      nodeUs: of(({ nodeUs }) => nodeUs),
      ...(cluster && { databaseUs: of(({ databaseUs }) => databaseUs) }),
    },
  ]
}

/** Adds a canvas in which people wait until the next minute and get a mail, lets all enter, and waits for the mails. */
async function measureDue({ server, sink, postmaster, people }: DueBench, canvas_id: string): Promise<DueRun> {
  const clock = systemClock()
  if (minuteMs - (clock.now() % minuteMs) < enterMsMin) await sleep(enterMsMin)
  const dueMs = Math.ceil(clock.now() / minuteMs) * minuteMs
  await server.add('/admin/canvases', canvasUntil(canvas_id, dueMs))
  const order = { canvas_id, broadcast: true, audience: everybody }
  const { dispatch_id } = (await server.post('/canvas/trigger/send', order)) as { dispatch_id: string }
  await untilEntries(server, dispatch_id, 'waiting', people)
  if (clock.now() >= dueMs) throw new Error('people were due before all had entered')
  const mailsBefore = (await sink.read()).messages
  await sleep(dueMs - clock.now())
  const cpuBefore = readCpu(server.pid, postmaster)
  await profiled(dueName, server.pid, () => sink.until(mailsBefore + people, idleMsMax))
  const seconds = (clock.now() - dueMs) / 1000
  await untilEntries(server, dispatch_id, 'completed', people)
  const { nodeUs, databaseUs } = cpuBetween(cpuBefore, readCpu(server.pid, postmaster))
  return { seconds, nodeUs: nodeUs / people, databaseUs: databaseUs / people }
}

function canvasUntil(id: string, dueMs: number): object {
  const until = new Date(dueMs).toISOString().slice(11, 16)
  const { email: message } = broadcastOf('same links').messages
  const steps = [
    { id: 'wait', type: 'delay', until, next: 'hello' },
    { id: 'hello', type: 'message', channel: 'email', message },
  ]
  return { id, name: id, state: 'active', entry: { by: ['api'] }, first: 'wait', steps }
}

/** Waits until so many entries of an order are in a state, or have ended so. */
async function untilEntries(server: Server, dispatch_id: string, wanted: 'waiting' | 'completed', people: number) {
  const untilMs = performance.now() + idleMsMax
  for (;;) {
    const { dispatch } = (await server.read(`/admin/dispatches/${dispatch_id}`)) as { dispatch: Order }
    if (dispatch.entries[wanted] === people) return
    if (performance.now() > untilMs)
      throw new Error(`not all entries are ${wanted}: ${JSON.stringify(dispatch.entries)}`)
    await sleep(pollMs)
  }
}

type Order = { entries: Record<string, number> }
