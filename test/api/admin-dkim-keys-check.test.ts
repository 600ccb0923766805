import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startDns, type Zone } from '../support/dns-server.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'

type Row = { purpose: string; name: string; value: string; state: string; found: string[]; sentence: string }

for (const database of drawDatabases('admin-dkim-keys-check')) {
  describe(`/admin/dkim_keys/{id}/check (${database})`, () => {
    const zone: Zone = new Map()
    let dns: Awaited<ReturnType<typeof startDns>>
    let service: Service
    let path: string
    before(async () => {
      dns = await startDns(zone)
      service = await startService({
        database,
        env: {
          EASEL_DNS_SERVERS: dns.address,
          PUBLIC_URL: 'https://mail.shop.example/easel',
          BOUNCE_DOMAIN: 'bounce.shop.example',
        },
      })
      const { body } = await service.admin('POST', '/admin/dkim_keys', { name: 'shop.example', selector: 'e1' })
      path = `/admin/dkim_keys/${body.dkim_key.id}`
    })
    after(async () => {
      await service[Symbol.asyncDispose]()
      await dns.close()
    })
    const records = async (method: string, suffix: string): Promise<Row[]> =>
      (await service.admin(method, `${path}/${suffix}`)).body.records
    const states = (rows: readonly Row[]) => Object.fromEntries(rows.map(({ purpose, state }) => [purpose, state]))

    test('the records of a domain are listed without a question to DNS', async () => {
      const rows = await records('GET', 'records')
      assert.deepEqual(
        rows.map(({ purpose, name, state }) => [purpose, name, state]),
        [
          ['dkim', 'e1._domainkey.shop.example', 'not_checked'],
          ['spf', 'bounce.shop.example', 'not_checked'],
          ['dmarc', '_dmarc.shop.example', 'not_checked'],
          ['return_path', 'bounce.shop.example', 'not_checked'],
          ['links', 'mail.shop.example', 'not_checked'],
        ],
      )
      assert.equal(rows[0]!.value, (await service.admin('GET', path)).body.dkim_key.dns.value)
      assert.equal(dns.asked.size, 0)
    })

    test('a check says what is missing, what is different and what is found, and asks for no other name', async () => {
      zone.clear()
      const first = await records('POST', 'check')
      assert.deepEqual(states(first), {
        dkim: 'missing',
        spf: 'missing',
        dmarc: 'missing',
        return_path: 'missing',
        links: 'missing',
      })
      zone.set('e1._domainkey.shop.example', { TXT: ['v=DKIM1; k=rsa; p=AAAA'] })
      zone.set('bounce.shop.example', { TXT: ['v=spf1 +all', 'other'], MX: ['10 mx.provider.example'] })
      zone.set('_dmarc.shop.example', 'broken')
      const second = await records('POST', 'check')
      assert.deepEqual(states(second), {
        dkim: 'different',
        spf: 'different',
        dmarc: 'unknown',
        return_path: 'different',
        links: 'missing',
      })
      assert.deepEqual(second[0]!.found, ['v=DKIM1; k=rsa; p=AAAA'])
      assert.match(second[2]!.sentence, /^The DNS servers could not find the answer/)
      zone.set('e1._domainkey.shop.example', { TXT: [first[0]!.value] })
      zone.set('bounce.shop.example', { TXT: ['v=spf1 mx ~all'], MX: ['10 Mail.Shop.Example'] })
      zone.set('_dmarc.shop.example', { TXT: ['v=DMARC1; p=reject; rua=mailto:a@b.example'] })
      zone.set('mail.shop.example', { A: ['192.0.2.1'] })
      const third = await records('POST', 'check')
      assert.deepEqual([...new Set(third.map(({ state }) => state))], ['found'])
      assert.equal(third[2]!.sentence, 'The policy is reject.')
      assert.deepEqual([...dns.asked].toSorted(), [
        '_dmarc.shop.example',
        'bounce.shop.example',
        'e1._domainkey.shop.example',
        'mail.shop.example',
      ])
    })

    test('a DNS server that is silent does not hold up the answer', async () => {
      zone.set('_dmarc.shop.example', 'silent')
      const rows = await records('POST', 'check')
      const dmarc = rows.find(({ purpose }) => purpose === 'dmarc')!
      assert.deepEqual([dmarc.state, dmarc.sentence], ['unknown', 'The DNS servers did not answer in time. Try again.'])
    })

    test('an unknown key is 404, and a workspace is checked ten times in a minute', async () => {
      const ask = (at: string) => service.send('POST', at, undefined, { key: service.adminToken })
      assert.equal((await ask('/admin/dkim_keys/none/check')).status, 404)
      zone.clear()
      const answers = []
      // More than fit into two windows, because a minute may end meanwhile.
      for (let i = 0; i < 21; i++) answers.push(await ask(`${path}/check`))
      const refused = answers.find(({ status }) => status === 429)
      assert.ok(refused, 'no check was refused')
      assert.ok(Number(refused.headers['retry-after']) > 0)
    })
  })
}
