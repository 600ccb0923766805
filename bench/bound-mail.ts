import { performance } from 'node:perf_hooks'
import { createTransport } from 'nodemailer'
import type { Figure } from './report.ts'
import type { Sink } from './sink.ts'

export const boundMailName = 'bound: the pool alone with a ready mail'

const waitingPerConnection = 4

/** Measures mails a second when the pool of the library alone sends the same bytes again and again. */
export async function boundMail(sink: Sink, connections: number, mails: number): Promise<Figure> {
  const { port, last } = await sink.read('last')
  const raw = Buffer.from(last!, 'latin1')
  const pool = createTransport({ pool: true, host: '127.0.0.1', port, maxConnections: connections, secure: false })
  let left = mails
  const sendOn = async () => {
    while (left-- > 0) {
      await pool.sendMail({ raw, envelope: { from: 'news@example.com', to: [`u${left}@example.com`] } })
    }
  }
  const before = { cpu: process.cpuUsage(), ms: performance.now() }
  await Promise.all(Array.from({ length: connections * waitingPerConnection }, sendOn))
  const seconds = (performance.now() - before.ms) / 1000
  const { user, system } = process.cpuUsage(before.cpu)
  pool.close()
  return {
    what: boundMailName,
    database: 'none',
    value: mails / seconds,
    unit: 'mails/s',
    nodeUs: (user + system) / mails,
  }
}
