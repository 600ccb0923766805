/** A mail server that accepts everything and keeps only the last mail: a process of its own that does as little as possible per mail. */
import { createServer, type Socket } from 'node:net'
import type { SinkCounts } from './sink-counts.ts'

const contentEnd = Buffer.from('\r\n.\r\n')
const answers: Readonly<Record<string, string>> = {
  EHLO: '250-drain\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n',
  HELO: '250 drain\r\n',
  DATA: '354 go on\r\n',
  QUIT: '221 bye\r\n',
}

let messages = 0
let bytes = 0
let last: Buffer[] = []

function take(socket: Socket): void {
  let content: Buffer[] | undefined
  let tail = Buffer.alloc(0)
  let line = ''
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    if (content) {
      content.push(chunk)
      tail = Buffer.concat([tail, chunk]).subarray(-contentEnd.length)
      if (!tail.equals(contentEnd)) return
      messages++
      for (const part of content) bytes += part.length
      last = content
      content = undefined
      socket.write('250 2.0.0 taken\r\n')
      return
    }
    line += chunk.toString('latin1')
    if (!line.endsWith('\r\n')) return
    const word = line.slice(0, 4).toUpperCase()
    line = ''
    if (word === 'DATA') {
      content = []
      tail = Buffer.alloc(0)
    }
    socket.write(answers[word] ?? '250 2.0.0 ok\r\n')
  })
  socket.write('220 drain ESMTP\r\n')
}

const server = createServer(take).listen(0, '127.0.0.1')
process.on('message', (command: 'read' | 'last') => {
  const { port } = server.address() as { port: number }
  const { user, system } = process.cpuUsage()
  const counts: SinkCounts = { port, messages, bytes, cpuUs: user + system }
  // Without the final dot line. Dot stuffing is not undone.
  process.send!(
    command === 'last' ? { ...counts, last: Buffer.concat(last).toString('latin1', 0).slice(0, -3) } : counts,
  )
})
process.once('disconnect', () => process.exit(0))
