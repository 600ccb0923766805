import { channel } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { Timeouts } from '../../src/base/http/server.ts'
import type { Facts, Message } from '../servers/app.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { long } from '../sizes.ts'
import { serve } from './fetchers.ts'
import { type Database, databases, type Spawned, spawnService } from './harness.ts'
import { Neighbour } from './neighbour.ts'
import { apps } from './people.ts'

/** For attacks on what does not depend on the database. */
export const usualDatabases: readonly Database[] = long ? databases : databases.slice(-1)

/** Megabytes of the heap of a service under attack. */
export const heapMb = 1_024

/** A service under attack: a process with a bounded heap, its mail server, and a neighbour of the attacker. */
export type Attacked = Spawned & {
  readonly mailServer: MailServer
  /** A server that texts may ask. It takes requests as long as it holds, and answers them afterwards. */
  readonly foreign: HoldingServer
  readonly neighbour: Neighbour
  /** Executes SQL, for rows that no request writes. */
  execute(sql: string): Promise<void>
  facts(): Promise<Facts>
}

export type AttackedOptions = {
  readonly database?: Database
  readonly timeouts?: Partial<Timeouts>
  readonly env?: Readonly<Record<string, string>>
}

export type HoldingServer = {
  readonly port: number
  readonly held: readonly ServerResponse[]
  hold(): void
  release(): void
}

/** Starts a service that may fetch from this machine, and believes it which address a caller has. */
export async function startAttacked({
  database = databases.at(-1)!,
  timeouts = {},
  env: more = {},
}: AttackedOptions): Promise<Attacked> {
  await using stack = new AsyncDisposableStack()
  const mailServer = await startMailServer()
  stack.defer(() => mailServer.close())
  const foreign = stack.use(await startHolding())
  const env = {
    SMTP_URL: mailServer.url,
    EASEL_FETCH_ALLOW: `127.0.0.1:${foreign.port}`,
    EASEL_TRUSTED_PROXIES: '127.0.0.1',
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
    ...more,
  }
  const program = ['test/servers/app.ts', JSON.stringify(timeouts)] as const
  const service = stack.use(await spawnService({ database, env, program }))
  await service.admin('POST', '/admin/apply', { apps: Object.values(apps) })
  const neighbour = await Neighbour.open(service, mailServer)
  const started = stack.move()
  const tell = async (message: Message) => (await service.tell(message)) as Facts
  return {
    ...service,
    mailServer,
    foreign,
    neighbour,
    execute: async (sql) => void (await tell({ execute: sql })),
    facts: () => tell({}),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

const shared = new Map<Database, Promise<Attacked>>()

/** Returns a service that the tests of this process share: starting it costs more than most attacks. */
export async function attackedService(database: Database = databases.at(-1)!): Promise<Attacked> {
  const known = shared.get(database)
  if (known) return known
  const starting = startAttacked({ database })
  shared.set(database, starting)
  // The next test gets another one when an attack ends this one.
  void starting
    .then(({ ended }) => ended)
    .catch(() => undefined)
    .then(() => shared.delete(database))
  return starting
}

// The runner says so after the last file of this process.
channel('easel.tests.ended').subscribe(() => {
  for (const starting of shared.values()) {
    // The test that could not start it has failed.
    void starting.then((attacked) => attacked[Symbol.asyncDispose]()).catch(() => undefined)
  }
})

async function startHolding(): Promise<HoldingServer & AsyncDisposable> {
  const held: ServerResponse[] = []
  let isHolding = false
  const { port, close } = await serve((_, response) => {
    if (isHolding) held.push(response)
    else response.end('late')
  })
  return {
    port,
    held,
    hold() {
      isHolding = true
    },
    release() {
      isHolding = false
      for (const response of held.splice(0)) response.end('late')
    },
    [Symbol.asyncDispose]: close,
  }
}
