/** The process that sends the load: keep-alive sockets in a closed loop, with as little work as possible per request. */
import { connect, type Socket } from 'node:net'
import { createHistogram, performance } from 'node:perf_hooks'
import { makeExportRequests, makeSubscriptionRequests, makeTrackRequests, RequestCycle } from './bodies.ts'
import type { LoadCommand, LoadCounts, LoadOptions, LoadReply } from './load-protocol.ts'

const receiveBytes = 65_536
const refusalsKept = 5
const refusalCharsMax = 400
const reconnectMs = 50
const nsPerMs = 1_000_000
const created = 201
const headEnd = '\r\n\r\n'
// Not searched for in exports, where the data of people may have this word in it.
const partlyRefused = '"errors"'

let options: LoadOptions
let nextRequest: () => Buffer
let running = false
const connections: Connection[] = []

const latency = createHistogram()
let completed = 0
let failed = 0
let refusals: string[] = []
let sinceMs = 0
let sinceCpu = process.cpuUsage()

class Connection {
  #socket: Socket | undefined
  #sentAt = 0
  #missing = 0
  #status = 0
  #head: Buffer | undefined
  waiting = false

  open(): void {
    const socket = connect({
      port: options.port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(receiveBytes),
        callback: (count, buffer) => {
          this.#receive((buffer as Buffer).subarray(0, count))
          return true
        },
      },
    })
    socket.on('connect', () => this.send())
    socket.on('error', (error) => this.#refused(`connection: ${error.message}`))
    socket.on('close', () => this.#closed())
    this.#socket = socket
  }

  send(): void {
    if (!running) return
    this.waiting = true
    this.#sentAt = performance.now()
    this.#socket?.write(nextRequest())
  }

  close(): void {
    this.#socket?.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#missing > 0) {
      this.#missing -= chunk.length
      if (this.#missing <= 0) this.#complete()
      return
    }
    const bytes = this.#head ? Buffer.concat([this.#head, chunk]) : chunk
    const bodyAt = bytes.indexOf(headEnd) + headEnd.length
    if (bodyAt < headEnd.length) {
      this.#head = Buffer.from(bytes)
      return
    }
    this.#head = undefined
    const head = bytes.toString('latin1', 0, bodyAt)
    this.#status = Number(head.slice(9, 12))
    this.#missing = contentLength(head) - (bytes.length - bodyAt)
    if (this.#status !== created) this.#refused(bytes.toString('latin1', 0, refusalCharsMax))
    else if (options.requests.kind !== 'export' && bytes.includes(partlyRefused, bodyAt)) {
      this.#status = 0
      this.#refused(bytes.toString('latin1', bodyAt, bodyAt + refusalCharsMax))
    }
    if (this.#missing <= 0) this.#complete()
  }

  #complete(): void {
    this.#missing = 0
    this.waiting = false
    if (this.#status === created) {
      completed++
      latency.record(Math.max(1, Math.round((performance.now() - this.#sentAt) * nsPerMs)))
    }
    this.send()
  }

  #refused(text: string): void {
    failed++
    if (refusals.length < refusalsKept) refusals.push(text)
  }

  #closed(): void {
    if (this.waiting && running) this.#refused('connection closed before the answer')
    this.waiting = false
    this.#missing = 0
    this.#head = undefined
    if (running) setTimeout(() => this.open(), reconnectMs)
  }
}

function contentLength(head: string): number {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (!found) throw new Error(`an answer without content-length:\n${head}`)
  return Number(found[1])
}

function requestsOf({ requests }: LoadOptions): () => Buffer {
  if (requests.kind === 'export' || requests.kind === 'subscription') {
    const list = requests.kind === 'export' ? makeExportRequests(requests) : makeSubscriptionRequests(requests)
    let used = 0
    return () => list[used++ % list.length]!
  }
  const cycle = new RequestCycle(makeTrackRequests({ ...requests, kind: requests.kind }), requests.firstNewcomer)
  return () => cycle.next()
}

/** Returns the counts since the last reading and resets them. */
function read(): LoadCounts {
  const now = performance.now()
  const cpu = process.cpuUsage(sinceCpu)
  const counts: LoadCounts = {
    seconds: (now - sinceMs) / 1000,
    requests: completed,
    failed,
    refusals,
    p50Ms: latency.percentile(50) / nsPerMs,
    p99Ms: latency.percentile(99) / nsPerMs,
    maxMs: completed === 0 ? 0 : latency.max / nsPerMs,
    cpuUs: cpu.user + cpu.system,
  }
  latency.reset()
  completed = 0
  failed = 0
  refusals = []
  sinceMs = now
  sinceCpu = process.cpuUsage()
  return counts
}

function stop(): void {
  running = false
  const finished = setInterval(() => {
    if (connections.some((connection) => connection.waiting)) return
    clearInterval(finished)
    for (const connection of connections) connection.close()
    process.exit()
  }, 5)
}

function send(reply: LoadReply): void {
  process.send?.(reply)
}

process.on('message', (command: LoadCommand) => {
  if (command.kind === 'prepare') {
    options = command.options
    nextRequest = requestsOf(options)
    send({ kind: 'ready' })
  } else if (command.kind === 'start') {
    running = true
    read()
    for (let i = 0; i < options.connections; i++) connections.push(new Connection())
    for (const connection of connections) connection.open()
  } else if (command.kind === 'read') {
    send({ kind: 'counts', counts: read() })
  } else {
    stop()
  }
})
// Ctrl-C in a terminal reaches this process too, but the parent decides when it ends.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())
