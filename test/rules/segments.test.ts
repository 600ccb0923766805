import assert from 'node:assert/strict'
import test from 'node:test'
import { keywordOf } from '../../src/messaging/channels/sms/keywords.ts'
import { segmentsOf } from '../../src/messaging/channels/sms/segments.ts'
import { isSender } from '../../src/messaging/channels/sms/sender.ts'
import { isSigned, signatureOf } from '../../src/messaging/channels/sms/signature.ts'

const cases: readonly (readonly [what: string, text: string, encoding: string, segments: number, left: number])[] = [
  ['an empty text', '', 'GSM-7', 1, 160],
  ['159 characters', 'a'.repeat(159), 'GSM-7', 1, 1],
  ['160 characters', 'a'.repeat(160), 'GSM-7', 1, 0],
  ['161 characters', 'a'.repeat(161), 'GSM-7', 2, 2 * 153 - 161],
  ['306 characters', 'a'.repeat(306), 'GSM-7', 2, 0],
  ['307 characters', 'a'.repeat(307), 'GSM-7', 3, 152],
  ['80 euros, which take two units each', '€'.repeat(80), 'GSM-7', 1, 0],
  ['81 euros: one is not divided', '€'.repeat(81), 'GSM-7', 2, 153 - 10],
  ['letters of several languages', 'äöüßÄÖÜñÑåÅéè ΔΦΓ ¿¡', 'GSM-7', 1, 140],
  ['an accent that GSM-7 lacks', 'ê', 'UCS-2', 1, 69],
  ['70 units of UCS-2', 'Ж'.repeat(70), 'UCS-2', 1, 0],
  ['71 units of UCS-2', 'Ж'.repeat(71), 'UCS-2', 2, 2 * 67 - 71],
  ['35 emojis, two units each', '😀'.repeat(35), 'UCS-2', 1, 0],
  ['36 emojis: one is not divided', '😀'.repeat(36), 'UCS-2', 2, 67 - 6],
]

for (const [what, text, encoding, segments, left] of cases) {
  test(`segments of ${what}`, () => {
    const found = segmentsOf(text)
    assert.deepEqual([found.encoding, found.segments, found.units_left], [encoding, segments, left])
  })
}

test('one word stops, starts or asks for help, however it is written', () => {
  for (const text of ['STOP', 'stop', ' Stop. ', 'stop all', 'Unsubscribe', 'OPT-OUT', 'quit!'])
    assert.equal(keywordOf(text), 'stop', text)
  for (const text of ['START', 'yes', 'Unstop']) assert.equal(keywordOf(text), 'start', text)
  for (const text of ['HELP', 'info']) assert.equal(keywordOf(text), 'help', text)
  for (const text of ['', 'Please stop sending', 'stopping', 'no', 'x'.repeat(1_000)])
    assert.equal(keywordOf(text), undefined, text)
})

test('a sender is a number, a short code, a name or a messaging service', () => {
  for (const text of ['+15551234567', '12345', 'Shop', 'Shop 24', `MG${'a'.repeat(32)}`])
    assert.ok(isSender(text), text)
  for (const text of ['', '15551234567', '+0123', '12', 'A name of more', 'Größe', 'MGxyz-is-too-long'])
    assert.ok(!isSender(text), text)
})

test('a signature covers the URL and each field, by the order of names', () => {
  // The example in the documentation of the interface.
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  const fields = {
    CallSid: ['CA1234567890ABCDE'],
    Caller: ['+14158675309'],
    Digits: ['1234'],
    From: ['+14158675309'],
    To: ['+18005551212'],
  }
  assert.equal(signatureOf(url, fields, '12345'), 'RSOYDt4T1cUTdK1PDd93/VVr8B8=')
  assert.ok(isSigned(url, fields, '12345', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='))
  assert.ok(!isSigned(url, { ...fields, To: ['+18005551213'] }, '12345', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='))
  for (const given of [undefined, '', 'x', 'RSOYDt4T1cUTdK1PDd93/VVr8B9='])
    assert.ok(!isSigned(url, fields, '12345', given))
})
