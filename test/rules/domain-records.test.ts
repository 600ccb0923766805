import assert from 'node:assert/strict'
import test from 'node:test'
import { expectedRecords, isPublicName, mayAsk } from '../../src/messaging/domains/expected-records.ts'
import { judgeRecord, whyNotAsked } from '../../src/messaging/domains/judge-record.ts'

const hosts = {
  publicUrl: 'https://easel.shop.example',
  bounceDomain: 'bounce.shop.example',
  mailServer: 'smtp.shop.example',
}
const dkim = { name: 'e1._domainkey.shop.example', value: 'v=DKIM1; k=rsa; p=AbCd' }
const byPurpose = new Map(expectedRecords('shop.example', dkim, hosts).map((record) => [record.purpose, record]))

test('each record is judged by what DNS has', () => {
  for (const [purpose, values, state, sentence] of [
    ['dkim', [], 'missing', /^There is no DKIM record yet/],
    ['dkim', ['v=DKIM1; k=rsa; p=AbCd'], 'found', /published/],
    ['dkim', ['k=rsa;p=Ab Cd;'], 'found', /published/],
    ['dkim', ['v=DKIM1; p=abcd'], 'different', /^Another key/],
    ['dkim', ['v=DKIM1; p='], 'different', /revoked/],
    ['dkim', ['hello'], 'different', /no DKIM key/],
    ['dkim', ['v=DKIM1; p=AbCd', 'v=DKIM1; p=other'], 'different', /several keys/],
    ['spf', [], 'missing', /SPF/],
    ['spf', ['v=spf10 all'], 'missing', /SPF/],
    ['spf', ['google-site-verification=1', 'v=spf1 include:a.example -all'], 'found', /SPF/],
    ['spf', ['v=spf1 a', 'V=SPF1 mx'], 'different', /2 SPF records/],
    ['spf', ['v=spf1 a all'], 'different', /every server/],
    ['dmarc', ['v=DMARC1; p=quarantine'], 'found', /quarantine/],
    ['dmarc', ['v=DMARC1; p=maybe'], 'different', /no policy/],
    ['dmarc', ['v=DMARC1'], 'different', /no policy/],
    ['dmarc', ['v=DMARC1; p=none', 'v=DMARC1; p=none'], 'different', /2 DMARC/],
    ['dmarc', ['hello'], 'missing', /DMARC/],
    ['return_path', ['20 EASEL.shop.example.'], 'found', /this server/],
    ['return_path', ['0 .'], 'different', /no mail/],
    ['return_path', ['0 other.example'], 'different', /another host/],
    ['links', ['192.0.2.1'], 'found', /address/],
  ] as const) {
    const judged = judgeRecord(byPurpose.get(purpose)!, { values })
    assert.equal(judged.state, state, `${purpose} ${values}`)
    assert.match(judged.sentence, sentence)
    assert.deepEqual(judged.found, values)
  }
  const failed = judgeRecord(byPurpose.get('spf')!, { failure: 'No answer.' })
  assert.deepEqual([failed.state, failed.sentence], ['unknown', 'No answer.'])
})

test('the text to publish follows from where mail is sent', () => {
  assert.equal(byPurpose.get('spf')!.value, 'v=spf1 a:smtp.shop.example ~all')
  assert.equal(byPurpose.get('return_path')!.value, '10 easel.shop.example')
  const local = { publicUrl: 'http://127.0.0.1:8080', bounceDomain: undefined, mailServer: 'localhost' }
  const records = expectedRecords('shop.example', dkim, local)
  assert.deepEqual(
    records.map(({ purpose, name }) => `${purpose} ${name}`),
    ['dkim e1._domainkey.shop.example', 'spf shop.example', 'dmarc _dmarc.shop.example', 'links 127.0.0.1'],
  )
  assert.equal(records[1]!.value, 'v=spf1 mx ~all')
  assert.match(whyNotAsked(records[3]!)!, /^127\.0\.0\.1 is not a name .* set PUBLIC_URL/)
})

test('only the domain, names below it and the hosts of the installation are asked for', () => {
  for (const [name, expected] of [
    ['shop.example', true],
    ['a.b.shop.example', true],
    ['bounce.shop.example', true],
    ['easel.shop.example', true],
    ['badshop.example', false],
    ['example', false],
    ['shop.example.evil.example', false],
  ] as const) {
    assert.equal(mayAsk(name, 'shop.example', hosts), expected, name)
  }
  for (const host of ['127.0.0.1', '[::1]', 'localhost', 'db', 'a.localhost', 'printer.local', 'db.internal'])
    assert.equal(isPublicName(host), false, host)
})
