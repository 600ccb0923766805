import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/base/config.ts'
import type { Db } from '../../src/base/db/db.ts'

/** What a test asks this process for: to execute SQL, or for facts. It answers with the facts in any case. */
export type Message = { readonly execute?: string }
export type Facts = { readonly inFlight: number; readonly endpoints: App['endpoints'] }

/** The service as a process that gives tests more than HTTP does. Its argument has deadlines as JSON. */
let db: Db
const opened = (own: Db) => {
  db = own
}
const app = await startApp(readConfig(), { timeouts: JSON.parse(process.argv[2]!), opened })
process.on('message', async (message: Message) => {
  if (message.execute !== undefined) await db.execute(message.execute)
  const facts: Facts = { inFlight: app.inFlight(), endpoints: app.endpoints }
  process.send?.(facts)
})
process.once('SIGTERM', () => void app.close().then(() => process.disconnect?.()))
