import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { addPeople, type MailBench, sendMails } from './mail.ts'
import type { Figure } from './report.ts'
import { startServer } from './server.ts'
import { Sink } from './sink.ts'
import { inTurns } from './turns.ts'

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
  const open = async (name: string, other?: string): Promise<MailBench> => {
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
    const database = cluster ? 'postgres' : 'pglite'
    return { server, sink, database, postmaster: cluster?.postmaster, people }
  }
  const [own, other] = mailTurnNames
  const places = { [own]: await open('mail_own'), [other]: await open('mail_other', checkout) }
  const measured = await inTurns(
    turns,
    Object.fromEntries(
      Object.entries(places).map(([what, place]) => [
        what,
        async () => {
          const { value, nodeUs, databaseUs } = await sendMails(place, what, 'same links')
          return { seconds: 1 / value, nodeUs: nodeUs!, ...(databaseUs !== undefined && { databaseUs }) }
        },
      ]),
    ),
  )
  const common = { database: places[own]!.database, people, unit: 'mails/s' } as const
  return measured.map(({ seconds, ...figure }) => ({ ...figure, ...common, value: 1 / seconds }))
}
