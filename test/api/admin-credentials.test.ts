import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { type Served, serve } from '../support/fetchers.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { many, newId } from '../support/people.ts'

const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }) =>
  key.export({ type: 'pkcs8', format: 'pem' }) as string
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey
const edwards = generateKeyPairSync('ed25519').privateKey
const small = rsa(1024)

for (const database of drawDatabases('admin-credentials')) {
  describe(`credentials and DKIM keys (${database})`, () => {
    let service: Service
    let db: Db
    let server: Served
    before(async () => {
      server = await serve((request, response) => void response.end(request.headers.authorization ?? 'nobody'))
      service = await startService({
        database,
        env: { EASEL_FETCH_ALLOW: `127.0.0.1:${server.port}` },
        opened: (opened) => (db = opened),
      })
    })
    after(async () => {
      await service[Symbol.asyncDispose]()
      await server.close()
    })

    const asAdmin = (method: string, path: string, body?: unknown) =>
      service.send(method, path, body, { key: service.adminToken })
    const apply = async (file: object) => (await service.admin('POST', '/admin/apply', file)).body
    const mistake = async (file: object) => {
      const { status, body } = await asAdmin('POST', '/admin/apply', file)
      assert.equal(status, 400, JSON.stringify(body))
      return body.message as string
    }
    /** Renders a text with connected content. Each URL is new, because answers are cached. */
    const asked = async (credential: string) => {
      const text = `{% connected_content ${server.url}/${newId()} :basic_auth ${credential} :save a %}{{a}}`
      const { body } = await asAdmin('POST', '/admin/render', { texts: { text }, personal: {} })
      return body.texts?.text ?? body.message
    }
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

    test('a credential is applied, never returned with its password, and applied again without a change', async () => {
      const origins = [server.url]
      const entry = { id: newId(), name: newId('files'), user_name: 'easel', password: 's3cr3t-pässword', origins }
      const first = await apply({ credentials: [entry] })
      const shown = { id: entry.id, name: entry.name, user_name: 'easel', origins }
      assert.deepEqual(first.changes, [
        { member: 'credentials', id: entry.id, name: entry.name, action: 'create', before: null, after: shown },
      ])
      assert.deepEqual(first.secrets, [])
      assert.deepEqual((await apply({ credentials: [entry] })).changes, [])
      const { password: _, ...without } = entry
      assert.deepEqual((await apply({ credentials: [without] })).changes, [])
      const listed = (await service.admin('GET', '/admin/credentials')).text
      assert.ok(listed.includes(entry.name) && !listed.includes('s3cr3t'))

      const changed = await apply({ credentials: [{ ...entry, password: 'other' }] })
      assert.deepEqual([changed.changes[0].before, changed.changes[0].after], [shown, shown])
      assert.equal(await asked(entry.name), basic('easel:other'))
    })

    test('a credential is created, changed and deleted by its own route, and is sent to its origins only', async () => {
      const name = newId('files')
      const given = { name, user_name: 'easel', password: 'a', origins: ['https://files.example.com', server.url] }
      const made = await service.admin('POST', '/admin/credentials', given)
      const path = `/admin/credentials/${made.body.credential.id}`
      assert.deepEqual((await service.admin('GET', path)).body.credential, made.body.credential)
      assert.equal(await asked(name), basic('easel:a'))
      await service.admin('PATCH', path, { origins: ['https://files.example.com'], password: 'a' })
      assert.equal(await asked(name), `connected_content: the credential "${name}" is not for this origin`)
      const more = { origins: [server.url], user_name: 'more', password: 'a' }
      const { body } = await service.admin('PATCH', path, more)
      assert.deepEqual(body.credential, { ...made.body.credential, user_name: 'more', origins: [server.url] })
      assert.equal(await asked(name), basic('more:a'))
      await service.admin('PATCH', path, { password: 'b' })
      assert.equal(await asked(name), basic('more:b'))
      assert.equal((await asAdmin('DELETE', path)).status, 204)
      assert.equal(await asked(name), `connected_content: there is no credential "${name}"`)
      assert.equal((await asAdmin('GET', path)).status, 404)
    })

    test('a caller without the password cannot have it sent elsewhere or under another name', async () => {
      const name = newId('files')
      const origins = ['https://a.example', 'https://b.example']
      const given = { name, user_name: 'easel', password: 'a', origins }
      const { id } = (await service.admin('POST', '/admin/credentials', given)).body.credential
      const path = `/admin/credentials/${id}`
      const { password: _, ...kept } = { ...given, id }
      const again = 'it must be 1 to 1024 characters without line breaks'
      for (const [change, what] of [
        [{ origins: [...origins, server.url] }, 'origins'],
        [{ origins: [server.url] }, 'origins'],
        [{ origins: ['https://a.example'] }, 'origins'],
        [{ user_name: 'Easel' }, 'user_name'],
        [{ user_name: 'other', origins: [server.url] }, 'user_name'],
      ] as const) {
        const expected = `password must be given again, because ${what} changes; ${again}`
        const { status, body } = await asAdmin('PATCH', path, change)
        assert.deepEqual([status, body.message], [400, expected])
        assert.equal(await mistake({ credentials: [{ ...kept, ...change }] }), `credentials[0].${expected}`)
        assert.deepEqual((await service.admin('GET', path)).body.credential, kept)
        await service.admin('PATCH', path, { ...change, password: 'a' })
        await service.admin('PATCH', path, given)
      }
      const renamed = newId('renamed')
      await service.admin('PATCH', path, { name: renamed, origins: origins.toReversed() })
      assert.equal((await service.admin('GET', path)).body.credential.name, renamed)
    })

    test('a credential has an origin, and one of an earlier version without any is sent nowhere', async () => {
      const given = { name: newId('files'), user_name: 'easel', password: 'a' }
      const text = 'a list of 1 to 100 different origins such as https://files.example.com'
      assert.equal(await mistake({ credentials: [given] }), `credentials[0].origins is missing; it must be ${text}`)
      assert.equal(
        await mistake({ credentials: [{ ...given, origins: [] }] }),
        `credentials[0].origins must be ${text}, not this list`,
      )
      const made = await service.admin('POST', '/admin/credentials', { ...given, origins: [server.url] })
      const { id } = made.body.credential
      await db.execute(`update credential set origins = '{}' where id = '${id}'`)
      assert.equal(await asked(given.name), `connected_content: the credential "${given.name}" is not for this origin`)
      assert.match(await mistake({ credentials: [{ id, ...given }] }), /origins is missing/)
      await service.admin('PATCH', `/admin/credentials/${id}`, { origins: [server.url], password: 'b' })
      assert.equal(await asked(given.name), basic('easel:b'))
    })

    test('names can be swapped, and each credential keeps its password', async () => {
      const [a, b] = ['a', 'b'].map((letter) => ({
        id: newId(letter),
        name: newId(letter),
        user_name: letter,
        origins: [server.url],
      }))
      await apply({ credentials: [a, b].map((entry) => ({ ...entry, password: entry!.user_name })) })
      await apply({
        credentials: [
          { ...a, name: b!.name },
          { ...b, name: a!.name },
        ],
      })
      assert.equal(await asked(b!.name), basic('a:a'))
      assert.equal(await asked(a!.name), basic('b:b'))
    })

    test('an invalid credential is refused, and the error does not repeat its password', async () => {
      const right = { name: 'n', user_name: 'u', password: 's3cr3t', origins: ['https://a.co'] }
      for (const [more, expected] of [
        [
          { password: undefined },
          'credentials[0].password is missing; it must be 1 to 1024 characters without line breaks',
        ],
        [{ password: '' }, 'credentials[0].password must be 1 to 1024 characters without line breaks'],
        [{ password: 's3cr3t\r\n' }, 'credentials[0].password must be 1 to 1024 characters without line breaks'],
        [
          { password: 's3cr3t'.repeat(171) },
          'credentials[0].password must be 1 to 1024 characters without line breaks',
        ],
        [{ password: ['s3cr3t'] }, 'credentials[0].password must be 1 to 1024 characters without line breaks'],
        [
          { user_name: 'a:b' },
          'credentials[0].user_name must be 1 to 255 characters without colons and line breaks, not "a:b"',
        ],
        [{ user_name: undefined }, 'credentials[0].user_name is missing; it must be 1 to 255 characters'],
        [{ origins: 'https://a.co' }, 'credentials[0].origins must be a list of 1 to 100 different origins'],
        [
          { origins: ['https://a.co/'] },
          'credentials[0].origins[0] must be an origin such as https://files.example.com',
        ],
        [{ origins: ['a.co'] }, 'credentials[0].origins[0] must be an origin such as https://files.example.com'],
        [{ origins: ['ftp://a.co'] }, 'credentials[0].origins[0] must be an origin such as https://files.example.com'],
        [
          { secret: 's3cr3t' },
          'credentials[0].secret is not known here; known are id, name, user_name, password, origins',
        ],
      ] as const) {
        const message = await mistake({ credentials: [{ ...right, ...more }] })
        assert.equal(message.slice(0, expected.length), expected)
        assert.ok(!message.includes('s3cr3t'), message)
      }
      for (const [length, isRefused] of [
        [1023, false],
        [1024, false],
        [1025, true],
      ] as const) {
        const file = { credentials: [{ ...right, password: 'p'.repeat(length) }] }
        assert.equal((await asAdmin('POST', '/admin/apply?plan=true', file)).status, isRefused ? 400 : 200)
      }
    })

    test('a DKIM key is accepted in every PEM form, returned as a DNS record, and applied again without a change', async () => {
      const [id, name] = [newId(), `${newId('d').toLowerCase()}.example`]
      const entry = { id, name, selector: 'easel1', private_key: pem(small) }
      const { changes } = await apply({ dkim_keys: [entry] })
      const { dns } = changes[0].after
      assert.deepEqual(changes[0].after, { id, name, selector: 'easel1', dns })
      assert.deepEqual([dns.name, dns.type], [`easel1._domainkey.${name}`, 'TXT'])
      assert.match(dns.value, /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]+=*$/)
      const older = small.export({ type: 'pkcs1', format: 'pem' }) as string
      const again = { ...entry, private_key: older.replaceAll('\n', '\r\n') }
      assert.deepEqual((await apply({ dkim_keys: [again] })).changes, [])
      const shown = await service.admin('GET', `/admin/dkim_keys/${id}`)
      assert.ok(!shown.text.includes('PRIVATE'))

      const { body } = await service.admin('PATCH', `/admin/dkim_keys/${id}`, {
        private_key: pem(edwards),
        selector: 's2',
      })
      assert.match(body.dkim_key.dns.value, /^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/)
      assert.equal(body.dkim_key.dns.name, `s2._domainkey.${name}`)
      assert.equal((await asAdmin('DELETE', `/admin/dkim_keys/${id}`)).status, 204)
      assert.equal((await asAdmin('DELETE', `/admin/dkim_keys/${id}`)).status, 404)
    })

    test('a new DKIM key without a private key gets one, which stays', async () => {
      const names = [`${newId('d').toLowerCase()}.example`, `${newId('d').toLowerCase()}.example`]
      const entries = names.map((name) => ({ id: newId(), name, selector: 'easel1' }))
      const planned = await service.admin('POST', '/admin/apply?plan=true', { dkim_keys: entries })
      assert.match(planned.body.changes[0].notes[0], /^a key is made; publish its DNS record/)
      await apply({ dkim_keys: entries })
      const read = async () =>
        Promise.all(
          entries.map(async ({ id }) => (await service.admin('GET', `/admin/dkim_keys/${id}`)).body.dkim_key.dns),
        )
      const [first, second] = await read()
      assert.match(first.value, /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{392}$/)
      assert.deepEqual(
        [first.name, second.name],
        names.map((name) => `easel1._domainkey.${name}`),
      )
      assert.deepEqual((await apply({ dkim_keys: entries })).changes, [])
      assert.deepEqual(await read(), [first, second])
    })

    test('a DKIM key that cannot sign or is too weak is refused', async () => {
      const right = { name: 'shop.example', selector: 's', private_key: pem(small) }
      const key = 'a private key in PEM, RSA of 1024 to 4096 bits or Ed25519'
      const locked = edwards.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'a' })
      const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      for (const [more, expected] of [
        [{ private_key: 'PRIVATE' }, `dkim_keys[0].private_key must be ${key}`],
        [{ private_key: pem(rsa(1016)) }, `dkim_keys[0].private_key must be ${key}`],
        [{ private_key: pem(curve.privateKey) }, `dkim_keys[0].private_key must be ${key}`],
        [
          { private_key: curve.publicKey.export({ type: 'spki', format: 'pem' }) },
          `dkim_keys[0].private_key must be ${key}`,
        ],
        [{ private_key: locked }, `dkim_keys[0].private_key must be ${key}`],
        [{ private_key: 5 }, `dkim_keys[0].private_key must be ${key}`],
        [{ name: 'Shop.example' }, 'dkim_keys[0].name must be a domain in lower case'],
        [{ name: 'example' }, 'dkim_keys[0].name must be a domain in lower case'],
        [{ name: 'münchen.example' }, 'dkim_keys[0].name must be a domain in lower case'],
        [{ selector: 'a b' }, 'dkim_keys[0].selector must be a DKIM selector such as easel1'],
        [{ selector: undefined }, 'dkim_keys[0].selector is missing; it must be a DKIM selector'],
      ] as const) {
        const message = await mistake({ dkim_keys: [{ ...right, ...more }] })
        assert.equal(message.slice(0, expected.length), expected)
      }
    })

    test('the limits are 500 credentials, 500 DKIM keys and 100 origins of a credential', async () => {
      const { workspace } = (await service.admin('POST', '/admin/workspace', { name: newId('Full') })).body
      const planned = async (file: object) =>
        (await asAdmin('POST', `/admin/apply?plan=true&workspace=${workspace.id}`, file)).status
      const private_key = pem(edwards)
      const credential = { name: 'n', user_name: 'u', password: 'p', origins: ['https://a.co'] }
      const statuses = [200, 200, 400]
      for (const [i, count] of [499, 500, 501].entries()) {
        const credentials = many(count, (n) => ({ ...credential, name: `n${n}` }))
        assert.equal(await planned({ credentials }), statuses[i])
        const dkim_keys = many(count, (n) => ({ name: `d${n}.example`, selector: 's', private_key }))
        assert.equal(await planned({ dkim_keys }), statuses[i])
      }
      for (const [i, count] of [99, 100, 101].entries()) {
        const origins = many(count, (n) => `https://f${n}.example`)
        assert.equal(await planned({ credentials: [{ ...credential, origins }] }), statuses[i])
      }
    })

    test('mail settings have defaults, and can be set and reset', async () => {
      const defaults = { track_opens: true, track_clicks: true, email_rates: {}, webhooks: {}, ledger_retention: 'P1Y' }
      const settings = {
        track_opens: false,
        track_clicks: false,
        email_rates: { per_second: 50, domains: { 'gmail.com': 0.01, 'mail.example.co': 100_000 } },
        webhooks: {
          amazon_ses: { topic_arn: 'arn:aws:sns:eu-west-1:123456789012:bounces' },
          sendgrid: { public_key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ==' },
          mailgun: { credential: 'mailgun' },
        },
        ledger_retention: 'P1D',
      }
      const read = async () => (await service.admin('GET', '/admin/settings')).body.settings
      const picked = (all: Record<string, unknown>) => Object.fromEntries(Object.keys(defaults).map((n) => [n, all[n]]))
      assert.deepEqual(picked(await read()), defaults)
      await apply({ settings })
      assert.deepEqual(picked(await read()), settings)
      await apply({ settings: Object.fromEntries(Object.keys(defaults).map((name) => [name, null])) })
      assert.deepEqual(picked(await read()), defaults)
      const domains = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i}.co`, 1]))
      for (const [wrong, expected] of [
        [{ track_opens: 'no' }, 'settings.track_opens must be true or false, not "no"'],
        [{ email_rates: 5 }, 'settings.email_rates must be an object with per_second or domains, not a number'],
        [
          { email_rates: { per_second: 0 } },
          'settings.email_rates.per_second must be a number of mails a second from 0.01',
        ],
        [
          { email_rates: { per_second: 100_001 } },
          'settings.email_rates.per_second must be a number of mails a second',
        ],
        [
          { email_rates: { domains: { 'gmail.com': '5' } } },
          'settings.email_rates.domains["gmail.com"] must be a number of mails',
        ],
        [
          { email_rates: { domains: { 'Gmail.com': 5 } } },
          'settings.email_rates.domains["Gmail.com"] is not known here',
        ],
        [
          { email_rates: { domains: domains(1001) } },
          'settings.email_rates.domains must be an object of at most 1000 domains',
        ],
        [
          { webhooks: { postmark: {} } },
          'settings.webhooks.postmark is not known here; known are amazon_ses, sendgrid, mailgun',
        ],
        [
          { webhooks: { amazon_ses: { topic_arn: 'bounces' } } },
          'settings.webhooks.amazon_ses.topic_arn must be the ARN',
        ],
        [{ webhooks: { sendgrid: {} } }, 'settings.webhooks.sendgrid.public_key is missing; it must be the public key'],
        [{ extras_header: 'Subject' }, 'settings.extras_header must be a header name that begins with X-'],
        ...['a@b', 'a..b@b.co', '"a b"@b.co', 'a@1.2.3.4', 'a@-b.co', `${'l'.repeat(65)}@b.co`, 'A <a@b.co>'].map(
          (reply_to) => [{ reply_to }, 'settings.reply_to must be an e-mail address, not '] as const,
        ),
        [{ ledger_retention: 'PT5M' }, 'settings.ledger_retention must be a length of time from 1 days'],
      ] as const) {
        const message = await mistake({ settings: wrong })
        assert.equal(message.slice(0, expected.length), expected)
      }
      const full = await asAdmin('POST', '/admin/apply?plan=true', {
        settings: { email_rates: { domains: domains(1000) } },
      })
      assert.equal(full.status, 200)
    })
  })
}
