import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { type BounceReport, readBounceReport } from '../../src/messaging/feedback/bounce-report.ts'
import { readDeliveryStatus, reportRecipientsMax } from '../../src/messaging/feedback/delivery-status.ts'
import { classifyBounce } from '../../src/messaging/mail/bounce-kind.ts'

const folder = join(import.meta.dirname, '../wire/returned')
const read = (name: string) => readBounceReport(readFileSync(join(folder, `${name}.eml`)))

test('a bounce is classified by its status code and text', () => {
  const table = [
    [{ code: 550, enhanced: '5.1.1' }, 'hard'],
    [{ code: 550, enhanced: '5.1.10' }, 'hard'],
    [{ enhanced: '5.1.2' }, 'hard'],
    [{ enhanced: '5.1.7' }, 'policy'],
    [{ enhanced: '5.1.8' }, 'policy'],
    [{ code: 550, enhanced: '5.2.1' }, 'hard'],
    [{ code: 552, enhanced: '5.2.2' }, 'soft'],
    [{ enhanced: '5.2.3' }, 'policy'],
    [{ enhanced: '5.3.0' }, 'soft'],
    [{ enhanced: '5.3.4' }, 'policy'],
    [{ enhanced: '5.4.4' }, 'hard'],
    [{ enhanced: '5.4.6' }, 'soft'],
    [{ enhanced: '5.5.1' }, 'policy'],
    [{ enhanced: '5.6.0' }, 'policy'],
    [{ code: 550, enhanced: '5.7.1', text: 'user unknown' }, 'policy'],
    [{ code: 452, enhanced: '4.2.2' }, 'soft'],
    [{ code: 451, text: 'user unknown' }, 'soft'],
    [{ enhanced: '4.4.7' }, 'soft'],
    [{ code: 550, text: 'No such user here' }, 'hard'],
    [{ code: 550, enhanced: '5.4.1', text: 'Recipient address rejected: Access denied.' }, 'hard'],
    [{ code: 550, enhanced: '5.4.1', text: 'No answer from host' }, 'soft'],
    [{ code: 550, enhanced: '5.0.0', text: 'Mailbox not found' }, 'hard'],
    [{ code: 554, text: 'user unknown' }, 'soft'],
    [{ code: 550, text: 'blocked by policy: unknown user' }, 'policy'],
    [{ code: 552, text: 'Message size exceeds fixed maximum message size' }, 'policy'],
    [{ code: 552, text: 'The message is too large' }, 'policy'],
    [{ code: 552, text: 'Mailbox size limit exceeded' }, 'soft'],
    [{ text: "the address doesn't exist" }, 'hard'],
    [{ enhanced: 'nonsense', text: '' }, 'soft'],
    [{}, 'soft'],
  ] as const
  for (const [report, kind] of table) assert.equal(classifyBounce(report), kind, JSON.stringify(report))
})

test('bounce mails of many servers are parsed', async () => {
  const nobody = { recipient: 'nobody@example.net' }
  const expected: Readonly<Record<string, Partial<BounceReport>>> = {
    'postfix-unknown': { verb: 'bounced', kind: 'hard', ...nobody },
    'postfix-delayed': { verb: 'nothing' },
    'postfix-expired': { verb: 'bounced', kind: 'soft', recipient: 'full@example.net' },
    'exim-plain': { verb: 'bounced', kind: 'hard', detail: '550 No such user here', ...nobody },
    'exchange-unknown': { verb: 'bounced', kind: 'hard', ...nobody },
    'gmail-unknown': { verb: 'bounced', kind: 'hard', recipient: 'nobody@gmail.com' },
    'qmail-unknown': { verb: 'bounced', kind: 'hard' },
    'sendmail-domain': { verb: 'bounced', kind: 'hard', recipient: 'nobody@gone.example' },
    policy: { verb: 'bounced', kind: 'policy' },
    complaint: { verb: 'complained', detail: 'abuse by SomeGenerator/1.0', recipient: 'user@example.net' },
    'not-spam': { verb: 'nothing' },
    away: { verb: 'nothing' },
    unreadable: { verb: 'bounced', kind: 'soft', detail: 'failure notice' },
  }
  for (const [name, report] of Object.entries(expected)) assert.partialDeepStrictEqual(await read(name), report, name)
})

test('a report may be in a part of any transfer encoding, in a mail with any line endings', async () => {
  const text = readFileSync(join(folder, 'postfix-unknown.eml'), 'utf8')
  for (const other of [text.replaceAll('\n', '\r\n'), text.slice(0, text.indexOf('Undelivered Message Headers'))]) {
    assert.partialDeepStrictEqual(await readBounceReport(Buffer.from(other)), { verb: 'bounced', kind: 'hard' })
  }
  const status =
    'Reporting-MTA: dns; a\n\nFinal-Recipient: rfc822; <a@b.example>\nAction: Failed\nStatus: 5.2.1 (off)\n'
  const head = 'Content-Type: multipart/report; boundary=X\n\n--X\nContent-Type: message/delivery-status\n'
  const coded = `${head}Content-Transfer-Encoding: base64\n\n${Buffer.from(status).toString('base64')}\n--X--\n`
  const report = { verb: 'bounced', kind: 'hard', recipient: 'a@b.example', detail: '5.2.1' }
  assert.deepEqual(await readBounceReport(Buffer.from(coded)), report)
})

test('a bounded number of recipients of a report is read', () => {
  const group = 'Final-Recipient: rfc822; a@b.example\nAction: failed\n\n'
  for (const [count, read] of [
    [reportRecipientsMax - 1, reportRecipientsMax - 1],
    [reportRecipientsMax, reportRecipientsMax],
    [reportRecipientsMax + 1, reportRecipientsMax],
  ] as const) {
    assert.equal(readDeliveryStatus(group.repeat(count)).length, read)
  }
})

test('no input makes the parser throw', async () => {
  const names = ['postfix-unknown', 'exchange-unknown', 'complaint', 'qmail-unknown']
  const mails = names.map((name) => readFileSync(join(folder, `${name}.eml`)))
  const spoilt = fc
    .tuple(fc.constantFrom(...mails), fc.array(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 40 })), { maxLength: 8 }))
    .map(([mail, changes]) => {
      const bytes = Buffer.from(mail)
      for (const [at, piece] of changes)
        bytes.set(piece.subarray(0, bytes.length - (at % bytes.length)), at % bytes.length)
      return bytes
    })
  const anything = fc.oneof(
    spoilt,
    fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(anything, async (bytes) => {
      assert.match((await readBounceReport(bytes)).verb, /^(bounced|complained|unsubscribed|nothing)$/)
    }),
    { numRuns: 200 },
  )
})

test('deeply nested and very long mails are parsed within the time limit', async () => {
  const deep = 'Content-Type: multipart/mixed; boundary=X\n\n--X\n'.repeat(2000)
  const before = process.cpuUsage()
  for (const text of [
    deep,
    `Subject: ${'a'.repeat(200_000)}\n\n`,
    `From: postmaster\nSubject: failure notice\n\n${'< '.repeat(100_000)}`,
    `From: postmaster\nSubject: failure notice\n\n${'does not have a '.repeat(10_000)}`,
    `From: postmaster\nContent-Type: text/html\n\n${'<'.repeat(200_000)}`,
    `Content-Type: message/delivery-status\n\n${'\n \n'.repeat(50_000)}`,
  ]) {
    await readBounceReport(Buffer.from(text))
  }
  const { user } = process.cpuUsage(before)
  assert.ok(user < 5_000_000, `took ${user} microseconds`)
})
