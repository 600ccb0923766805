import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../wire/returned')
/** Reads a returned mail. */
export const mailOf = (name: string) => readFileSync(join(folder, `${name}.eml`), 'utf8')

/** Returns a report about one recipient. */
export function report(status: string, words: string, recipient: string): string {
  return [
    'From: MAILER-DAEMON@mx.example.org',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=X',
    '',
    '--X',
    'Content-Type: message/delivery-status',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${words}`,
    '--X--',
    '',
  ].join('\r\n')
}

/** Sends lines, each after the answer to the one before. Returns the codes of the answers. */
export async function converse(port: number, lines: readonly string[]): Promise<readonly number[]> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8')
  const codes: number[] = []
  const left = [...lines]
  socket.on('data', (text: string) => {
    for (const line of text.split('\r\n')) {
      if (!/^\d{3}( |$)/.test(line)) continue
      codes.push(Number(line.slice(0, 3)))
      const next = left.shift()
      if (next === undefined) socket.end()
      else socket.write(`${next}\r\n`)
    }
  })
  await Promise.allSettled([once(socket, 'close')])
  return codes
}
