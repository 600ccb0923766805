import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { addPeople } from './mail.ts'
import { broadcastOf } from './mail-template.ts'
import type { Figure } from './report.ts'
import { measureIdle, type SendPlace, sendBroadcast } from './send-broadcast.ts'
import { startServer } from './server.ts'
import { Sink } from './sink.ts'
import { inTurns, type TurnCost } from './turns.ts'

/** How long each service is measured without work. */
const idleMs = 8_000

export const mailTurnNames = ['mails of this checkout', 'mails of the other checkout'] as const

/** Measures the same mails with the services of two checkouts, in turns: each has its own database on one server. */
export async function benchMailTurns(
  checkout: string,
  people: number,
  turns: number,
  cluster: Cluster | undefined,
  nowMs: number,
): Promise<Figure[]> {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(new Sink())
  const { port } = await sink.read()
  const body = broadcastOf('same links')
  const open = async (name: string, other?: string) => {
    const directory = opened.use(makeTemporaryFolder(name))
    const databaseUrl = await cluster?.createDatabase(name)
    const server = opened.use(
      await startServer({
        directory: directory.path,
        smtpUrl: `smtp://127.0.0.1:${port}`,
        ...(databaseUrl !== undefined && { databaseUrl }),
        ...(other !== undefined && { checkout: other }),
      }),
    )
    await addPeople(server, people, nowMs)
    const place: SendPlace = { server, sink, postmaster: cluster?.postmaster, people }
    // A warm-up.
    await sendBroadcast(place, body, { nodeUs: 0, databaseUs: 0 })
    return place
  }
  const [own, other] = mailTurnNames
  const places = { [own]: await open('mail_own'), [other]: await open('mail_other', checkout) }
  const measures: Record<string, () => Promise<TurnCost>> = {}
  for (const [what, place] of Object.entries(places)) {
    const idle = await measureIdle(place, idleMs)
    measures[what] = () => sendBroadcast(place, body, idle)
  }
  const measured = await inTurns(turns, measures)
  const common = { database: cluster ? 'postgres' : 'pglite', people, unit: 'mails/s' } as const
  return measured.map(({ seconds, ...figure }) => ({ ...figure, ...common, value: 1 / seconds }))
}
