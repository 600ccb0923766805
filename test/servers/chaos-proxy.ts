import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A TCP proxy in front of a PostgreSQL server that misbehaves on request. At first it passes everything. */
export type ChaosProxy = {
  /** The database URL with this proxy instead of the server. */
  url: string
  /** Passes everything from now on. Connections that were cut or stalled stay so. */
  pass(): void
  /** Ends all connections, and each new one at once. */
  refuse(): void
  /** Keeps all connections open, and passes no byte in either direction. */
  stall(): void
  /** Ends all connections. New ones pass. */
  cut(): void
  /** Cuts the connection of the next COMMIT before the server gets it. Once. `text`: of a transaction in which this was sent. */
  cutBeforeCommit(text?: string): void
  /** Passes the next COMMIT, then cuts its connection before the answer arrives. Once. `text`: of a transaction in which this was sent. */
  cutAfterCommit(text?: string): void
  /** Waits until there was no COMMIT for a while: then the work after the start of a service is done. */
  calm(): Promise<void>
  /** How many COMMITs were cut so far, before or after the server got them. */
  readonly commitsCut: number
  /** Hides the end of a client from the server from now on, as when the machine of the client loses power. */
  hideEnds(): void
  close(): Promise<void>
}

type Mode = 'pass' | 'refuse' | 'stall' | 'cut before commit' | 'cut after commit'
type Pair = {
  readonly client: Socket
  readonly server: Socket
  answerIsLost: boolean
  /** Whether the transaction has sent the text of the COMMIT to cut. */
  hasText: boolean
}

const calmMs = 400
/** A simple query: type, length, text. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0')
const BEGIN = 'begin'

export async function startChaosProxy(databaseUrl: string): Promise<ChaosProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<Pair>()
  let fault: { readonly mode: Mode; readonly text: string } = { mode: 'pass', text: '' }
  let [commits, commitsCut] = [0, 0]
  let endsAreHidden = false
  const become = (mode: Mode, text = '') => {
    fault = { mode, text }
    for (const pair of pairs) pair.hasText = false
  }
  const end = (pair: Pair) => {
    for (const socket of endsAreHidden ? [pair.client] : [pair.client, pair.server]) socket.destroy()
    if (pair.server.destroyed) pairs.delete(pair)
  }
  const cut = () => pairs.forEach(end)

  function toServer(pair: Pair, bytes: Buffer): void {
    const isCommit = bytes.includes(COMMIT)
    if (isCommit) commits++
    pair.hasText = bytes.includes(fault.text) || (pair.hasText && !bytes.includes(BEGIN))
    if (!isCommit || !pair.hasText || !fault.mode.startsWith('cut')) {
      if (fault.mode !== 'stall') pair.server.write(bytes)
      return
    }
    pair.answerIsLost = fault.mode === 'cut after commit'
    become('pass')
    commitsCut++
    if (pair.answerIsLost) pair.server.write(bytes)
    else end(pair)
  }

  function toClient(pair: Pair, bytes: Buffer): void {
    if (pair.answerIsLost) end(pair)
    else if (fault.mode !== 'stall') pair.client.write(bytes)
  }

  const proxy = createServer((client) => {
    if (fault.mode === 'refuse') return client.destroy()
    const pair = { client, server: connect(Number(target.port), target.hostname), answerIsLost: false, hasText: false }
    pairs.add(pair)
    client.on('data', (bytes) => toServer(pair, bytes as Buffer))
    pair.server.on('data', (bytes) => toClient(pair, bytes as Buffer))
    for (const socket of [client, pair.server]) socket.on('error', () => {}).on('close', () => end(pair))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  return {
    url: urlOf(databaseUrl, proxy),
    pass: () => become('pass'),
    refuse() {
      become('refuse')
      cut()
    },
    stall: () => become('stall'),
    cut,
    cutBeforeCommit: (text) => become('cut before commit', text),
    cutAfterCommit: (text) => become('cut after commit', text),
    calm: () => standingStill(() => commits),
    get commitsCut() {
      return commitsCut
    },
    hideEnds() {
      endsAreHidden = true
    },
    async close() {
      endsAreHidden = false
      cut()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

/** Waits until a count has stayed the same for a while. */
async function standingStill(count: () => number): Promise<void> {
  for (let seen = -1; seen !== count(); ) {
    seen = count()
    await pause(calmMs)
  }
}

function urlOf(databaseUrl: string, proxy: Server): string {
  const { port } = proxy.address() as { port: number }
  return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href
}
