/** An HTTP server that answers as a provider of text messages does, and as a receiver of webhooks. It keeps only the last requests. */
import { createServer, type IncomingMessage } from 'node:http'
import type { KeptRequest } from './request-protocol.ts'
import type { SinkCounts } from './sink-counts.ts'

const keptMax = 200
const textsPath = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/
/** Headers of the connection, which a client adds by itself. */
const ownHeaders: ReadonlySet<string> = new Set(['host', 'connection', 'content-length'])

let messages = 0
let bytes = 0
const kept: KeptRequest[] = []

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('latin1')
    messages++
    bytes += body.length
    kept[messages % keptMax] = keptOf(request, body)
    const account = textsPath.exec(request.url!)?.[1]
    const answer = account === undefined ? '{"ok":true}' : answerOf(account, body)
    const status = account === undefined ? 200 : 201
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    response.end(answer)
  })
}).listen(0, '127.0.0.1')
server.keepAliveTimeout = 600_000

function keptOf({ method, url, rawHeaders }: IncomingMessage, body: string): KeptRequest {
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (!ownHeaders.has(name)) headers[name] = rawHeaders[i + 1]!
  }
  return { method: method!, path: url!, headers, body }
}

/** Returns the answer of a provider to a text, with the members that most send. */
function answerOf(account: string, body: string): string {
  const form = new URLSearchParams(body)
  const sid = `SM${messages.toString(16).padStart(32, '0')}`
  return JSON.stringify({
    ...{
      account_sid: account,
      api_version: '2010-04-01',
      body: form.get('Body'),
      date_created: new Date().toUTCString(),
    },
    ...{ date_sent: null, direction: 'outbound-api', error_code: null, error_message: null, from: form.get('From') },
    ...{ messaging_service_sid: null, num_media: '0', num_segments: '1', price: null, price_unit: null, sid },
    ...{ status: 'queued', to: form.get('To'), uri: `/2010-04-01/Accounts/${account}/Messages/${sid}.json` },
  })
}

process.on('message', (command: 'read' | 'last') => {
  const { port } = server.address() as { port: number }
  const { user, system } = process.cpuUsage()
  const counts: SinkCounts = { port, messages, bytes, cpuUs: user + system }
  process.send!(command === 'last' ? { ...counts, last: JSON.stringify(kept.filter(Boolean)) } : counts)
})
process.once('disconnect', () => process.exit(0))
