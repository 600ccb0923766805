import assert from 'node:assert/strict'
import test from 'node:test'
import { openSmtp } from '../../src/messaging/mail/smtp.ts'
import { startMailServer } from '../servers/smtp.ts'

const mail = {
  raw: Buffer.from('Subject: s\r\n\r\nx\r\n'),
  envelope: { from: 'a@easel.test', to: ['to@example.com', 'bcc@example.com'] },
}
const toOne = { ...mail, envelope: { ...mail.envelope, to: ['to@example.com'] } }
const { signal } = new AbortController()

test('a refused copy is a warning, and is not sent when the mail itself is refused', async (t) => {
  const server = await startMailServer()
  t.after(() => server.close())
  const transport = openSmtp({ url: server.url, connections: 1 })
  t.after(() => transport.close())
  const refuse = (refused: string) =>
    server.at('rcpt', (about) => (about === refused ? { code: 550, text: '5.1.1 no' } : undefined))
  refuse('bcc@example.com')
  const sent = await transport.send(mail, signal)
  assert.ok(sent.kind === 'accepted')
  assert.match(sent.warnings![0]!, /bcc@example\.com: .*550 5\.1\.1 no/)
  refuse('to@example.com')
  assert.equal((await transport.send(mail, signal)).kind, 'refused')
  assert.equal(server.taken.length, 1)
  server.calm()
  assert.deepEqual(await transport.send(mail, signal), {
    kind: 'accepted',
    response: '250 OK: message queued',
    warnings: [],
  })
  assert.deepEqual(
    server.taken.map(({ to }) => to[0]),
    ['to@example.com', 'to@example.com', 'bcc@example.com'],
  )
})

test('mail is accepted with the right password, and with a wrong one the server counts as unreachable', async (t) => {
  const strict = await startMailServer({ user: 'easel' })
  t.after(() => strict.close())
  for (const [user, kind] of [
    ['easel', 'accepted'],
    ['other', 'unreached'],
  ] as const) {
    const transport = openSmtp({ url: `smtp://${user}:pw@127.0.0.1:${strict.port}`, connections: 1 })
    assert.equal((await transport.send(toOne, signal)).kind, kind)
    await transport.close()
  }
})

test('an aborted delivery is uncertain once the content was sent', async (t) => {
  const server = await startMailServer()
  t.after(() => server.close())
  const transport = openSmtp({ url: server.url, connections: 1 })
  t.after(() => transport.close())
  for (const [step, kind] of [
    ['rcpt', 'unreached'],
    ['data', 'uncertain'],
  ] as const) {
    server.calm()
    const leaving = new AbortController()
    server.at(step, () => {
      leaving.abort()
      return new Promise(() => {})
    })
    assert.equal((await transport.send(toOne, leaving.signal)).kind, kind)
  }
})

test('the server reads the text that was written, and a single CR or LF does not end a mail', async (t) => {
  const server = await startMailServer()
  t.after(() => server.close())
  const transport = openSmtp({ url: server.url, connections: 1 })
  t.after(() => transport.close())
  const head = 'Subject: s\r\n\r\n'
  const large = `${'x'.repeat(70)}\r\n`.repeat(10_000)
  for (const [written, read] of [
    ['x\r\n', 'x\r\n'],
    ['x', 'x\r\n'],
    ['x\r\n\r\n', 'x\r\n\r\n'],
    ['a.b\r\n', 'a.b\r\n'],
    ['.\r\n..\r\n.x\r\n', '.\r\n..\r\n.x\r\n'],
    ['x\r\n.\r\nMAIL FROM:<a@example.com>\r\n', 'x\r\n.\r\nMAIL FROM:<a@example.com>\r\n'],
    ['x\n.\n\r\n', 'x\r\n.\r\n\r\n'],
    ['x\r.\r\n', 'x\r\n.\r\n'],
    ['x\n.\r\nq\r\n', 'x\r\n.\r\nq\r\n'],
    [large, large],
  ] as const) {
    const sent = await transport.send({ ...toOne, raw: Buffer.from(head + written) }, signal)
    assert.equal(sent.kind, 'accepted')
    assert.equal(server.taken.at(-1)!.content, head + read, JSON.stringify(written.slice(0, 40)))
  }
})
