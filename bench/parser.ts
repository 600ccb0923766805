/** A server that only reads the body, parses it and answers: the bound for requests. */
import { createServer } from 'node:http'

const reply = JSON.stringify({ events_processed: 50, message: 'success' })
const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) }

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    response.writeHead(201, head)
    response.end(reply)
  })
})

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())
