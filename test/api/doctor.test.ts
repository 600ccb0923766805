import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { type Environment, easel, folderWith, typeEasel } from '../support/command-line.ts'
import { startDns, type Zone } from '../support/dns-server.ts'
import { freePort } from '../support/free-port.ts'
import { databases, startService } from '../support/harness.ts'

type Finding = { subject: string; ok: boolean; text: string; remedy?: string }

/** Runs the doctor. Nobody listens at its port unless `env` has one. */
async function examine(
  env: Environment,
): Promise<{ code: number; findings: Finding[]; of(subject: string): Finding[] }> {
  const { code, out, err } = await easel(['doctor', '--json'], { PORT: String(await freePort()), ...env })
  assert.notEqual(out, '', err)
  const { findings } = JSON.parse(out) as { findings: Finding[] }
  return { code, findings, of: (subject) => findings.filter((each) => each.subject === subject) }
}

const secret = 'a-root-secret-of-thirty-two-characters'
const domains = {
  'file.yaml': `
dkim_keys:
  - {id: shop, name: shop.example, selector: s1}
  - {id: mail, name: mail.shop.example, selector: s1}
api_keys: [{name: Reader, permissions: [users.export.ids]}]
`,
}

test('the doctor asks DNS for what it must say of each mail domain, and says what to publish', async (t) => {
  using folder = folderWith(domains)
  const zone: Zone = new Map()
  const dns = await startDns(zone)
  t.after(() => dns.close())
  const server = await startMailServer()
  t.after(() => server.close())
  const env = {
    EASEL_DATA: folder.path('data'),
    EASEL_SECRET: secret,
    EASEL_DNS_SERVERS: dns.address,
    PUBLIC_URL: 'https://engage.shop.example',
    BOUNCE_DOMAIN: 'bounce.shop.example',
  }
  assert.equal((await easel(['apply', folder.path('file.yaml')], env)).code, 0)
  // Without a mail server nothing is sent, so DNS does not matter.
  const unsent = await examine(env)
  assert.deepEqual([unsent.of('SPF'), dns.asked.size], [[], 0])

  const sending = { ...env, SMTP_URL: server.url }
  const empty = await examine(sending)
  assert.equal(empty.code, 1)
  assert.deepEqual(
    empty.of('DKIM').map(({ ok, text }) => [ok, text]),
    [
      [false, 'mail.shop.example: There is no DKIM record yet: publish it.'],
      [false, 'shop.example: There is no DKIM record yet: publish it.'],
    ],
  )
  const [, key] = empty.of('DKIM')
  const [, name, value] = /^publish TXT (\S+): (v=DKIM1; .*)$/.exec(key!.remedy!)!
  assert.equal(name, 's1._domainkey.shop.example')
  assert.match(empty.of('SPF')[0]!.remedy!, /^publish TXT bounce\.shop\.example: v=spf1 /)
  // The domain above may have a policy for both.
  assert.deepEqual(
    empty.of('DMARC').map(({ ok }) => ok),
    [true, false],
  )
  assert.match(empty.of('Return path')[0]!.remedy!, /^publish MX bounce\.shop\.example: 10 engage\.shop\.example$/)
  assert.match(empty.of('Links')[0]!.remedy!, /^give engage\.shop\.example an address in DNS$/)

  zone.set(name!, { TXT: [value!] })
  zone.set('s1._domainkey.mail.shop.example', { TXT: [value!.replace(/p=..../, 'p=AAAA')] })
  zone.set('bounce.shop.example', { TXT: ['v=spf1 ip4:192.0.2.1 ~all'], MX: ['10 engage.shop.example'] })
  zone.set('_dmarc.shop.example', { TXT: ['v=DMARC1; p=reject'] })
  zone.set('_dmarc.mail.shop.example', 'broken')
  zone.set('engage.shop.example', { A: ['192.0.2.1'] })
  const half = await examine(sending)
  const states = (subject: string) => half.of(subject).map(({ ok }) => ok)
  assert.deepEqual(states('DKIM'), [false, true])
  assert.deepEqual([states('SPF'), states('Return path'), states('Links')], [[true], [true], [true]])
  assert.deepEqual(states('DMARC'), [false, true])
  assert.equal(half.of('DMARC')[0]!.remedy, 'check the DNS of this machine, or EASEL_DNS_SERVERS')
})

test('the doctor names a root secret that does not open what is stored, and reads keys with the right one', async () => {
  using folder = folderWith(domains)
  const env = { EASEL_DATA: folder.path('data') }
  assert.equal((await easel(['apply', folder.path('file.yaml')], { ...env, EASEL_SECRET: secret })).code, 0)
  const right = await examine({ ...env, EASEL_SECRET: secret })
  assert.deepEqual(right.of('Secrets'), [
    { subject: 'Secrets', ok: true, text: 'EASEL_SECRET opens stored passwords and keys' },
  ])
  assert.match(right.of('Keys')[0]!.text, /^\d API keys; never used: .*Reader/)
  assert.match(right.of('Backup')[0]!.text, /^the database has 0\.\d+ GB/)
  // A process of its own: this one knows the secret by now.
  const pulled = await typeEasel(['pull'], { ...env, EASEL_SECRET: secret })
  assert.equal(pulled.code, 0, pulled.err)
  for (const wrong of [{}, { EASEL_SECRET: secret.toUpperCase() }]) {
    const { code, of } = await examine({ ...env, ...wrong })
    assert.equal(code, 1)
    assert.equal(of('Secrets')[0]!.ok, false)
    assert.match(of('Secrets')[0]!.remedy!, /^give the secret that encrypted/)
  }
})

for (const database of databases) {
  test(`the doctor works beside a running server, and asks it with the admin token (${database})`, async () => {
    using folder = folderWith({})
    const databaseUrl = database === 'postgres' ? await newDatabase('service') : undefined
    const place = { EASEL_DATA: folder.path('data'), ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
    await using server = await startService({ database, env: place })
    const env = { ...place, PORT: new URL(server.url).port }
    const without = await examine(env)
    const [keys] = without.of('Keys')
    assert.equal(keys!.ok, true)
    if (database === 'pglite') assert.match(keys!.remedy!, /set EASEL_ADMIN_TOKEN/)
    else assert.match(keys!.text, /API keys/)
    assert.ok(without.of('Clock').every(({ ok }) => ok))
    assert.equal(without.of('Clock').length, database === 'postgres' ? 2 : 1)

    const asked = await examine({ ...env, EASEL_ADMIN_TOKEN: server.adminToken })
    assert.match(asked.of('Keys')[0]!.text, /API keys/)
    assert.match(asked.of('Server')[0]!.text, /^Easel \d+\.\d+\.\d+ runs at http:/)
    assert.equal(asked.of('Server')[0]!.ok, true)
    const refused = await examine({ ...env, EASEL_ADMIN_TOKEN: 'x'.repeat(32) })
    assert.equal(refused.code, 1)
    assert.match(refused.of('Server')[0]!.text, /EASEL_ADMIN_TOKEN is not the admin token of this server/)
  })
}

test('the doctor compares clocks with a running server, and says that a clock is virtual', async (t) => {
  let date = new Date(Date.parse('2020-01-01T00:00:00Z'))
  const server = createServer((_, response) => {
    response.setHeader('Date', date.toUTCString())
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const env = { EASEL_DATA: 'memory', PORT: String((server.address() as AddressInfo).port), EASEL_CLOCK: 'virtual' }
  const [virtual, late] = (await examine(env)).of('Clock')
  assert.match(virtual!.text, /^virtual/)
  assert.equal(late!.ok, false)
  assert.match(late!.text, /^the server at http:\S+ is \d+\.\d s behind$/)
  assert.match(late!.remedy!, /NTP/)
  date = new Date()
  assert.equal((await examine(env)).of('Clock')[1]!.ok, true)
})
