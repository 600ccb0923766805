import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAllowlist } from '../../src/base/fetch/allowlist.ts'
import type { FetchError, FetchErrorReason } from '../../src/base/fetch/fetch-error.ts'
import { fetcherOf, type Names, publicAddress, refusal, type Served, serve } from '../support/fetchers.ts'

describe('an address is public', () => {
  const isPublic = (address: string) => createAllowlist([]).refusalOf('host', 443, address) === undefined
  for (const address of [publicAddress, '8.8.8.8', '2606:4700::1111', '64:ff9b::808:808', '::ffff:8.8.8.8']) {
    test(`when it is ${address}`, () => assert.equal(isPublic(address), true))
  }
  const others = [
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.254',
      '169.254.169.254',
      '172.16.0.1',
    ],
    ...[
      '172.31.255.255',
      '192.0.0.1',
      '192.0.2.1',
      '192.168.1.1',
      '198.18.0.1',
      '203.0.113.1',
      '224.0.0.1',
      '240.0.0.1',
    ],
    ...[
      '255.255.255.255',
      '::',
      '::1',
      '::7f00:1',
      '::ffff:127.0.0.1',
      '::ffff:a9fe:a9fe',
      '64:ff9b::7f00:1',
      'ff02::1',
    ],
    ...[
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::1',
      '100::1',
      '2001:db8::1',
      '2002:7f00:1::',
      '2001::1',
      'fc00::1',
      'fd00::1',
    ],
    ...['fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', '3fff::1', '5f00::1', '4000::1'],
    ...['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110'],
  ]
  for (const address of others) test(`not when it is ${address}`, () => assert.equal(isPublic(address), false))
})

describe('a URL is refused without a look-up', () => {
  const refused: readonly [url: string, reason: FetchErrorReason][] = [
    ['http://0.0.0.0/', 'address'],
    ['http://0/', 'address'],
    ['http://127.0.0.1/', 'address'],
    ['http://127.1/', 'address'],
    ['http://2130706433/', 'address'],
    ['http://017700000001/', 'address'],
    ['http://0x7f000001/', 'address'],
    ['http://0x7f.0.0.1/', 'address'],
    ['http://0177.0.0.1/', 'address'],
    ['http://127.0.0.1./', 'address'],
    ['http://①②⑦.0.0.1/', 'address'],
    ['http://[::]/', 'address'],
    ['http://[::1]/', 'address'],
    ['http://[::ffff:127.0.0.1]/', 'address'],
    ['http://[::ffff:7f00:1]/', 'address'],
    ['http://[::127.0.0.1]/', 'address'],
    ['http://[64:ff9b::7f00:1]/', 'address'],
    ['http://169.254.169.254/latest/meta-data/', 'address'],
    ['http://2852039166/', 'address'],
    ['http://[fd00:ec2::254]/', 'address'],
    ['http://[fe80::1]/', 'address'],
    ['http://[fd00::1]/', 'address'],
    ['http://10.1.2.3/', 'address'],
    ['https://192.168.0.1/', 'address'],
    [`http://${publicAddress}:8080/`, 'port'],
    ['http://a.example:22/', 'port'],
    ['http://user:secret@a.example/', 'url'],
    ['http://a.example@127.0.0.1/', 'url'],
    ['http://[fe80::1%25eth0]/', 'url'],
    ['ftp://a.example/', 'url'],
    ['file:///etc/passwd', 'url'],
    ['data:text/plain,a', 'url'],
    ['javascript:1', 'url'],
    ['//a.example/', 'url'],
    ['', 'url'],
    ['http://', 'url'],
    [`http://a.example/${'a'.repeat(8192)}`, 'url'],
  ]
  for (const [url, reason] of refused) {
    test(`${url.slice(0, 60)} (${reason})`, async () => {
      const { fetch, asked: lookups, close } = fetcherOf()
      assert.equal((await refusal(fetch(url))).reason, reason)
      assert.deepEqual(lookups, [])
      await close()
    })
  }
})

describe('a name is refused', () => {
  const names: Names = {
    localhost: [['127.0.0.1', '::1']],
    'me.localhost': [['::1']],
    'inside.example': [['10.0.0.1']],
    'metadata.example': [['169.254.169.254']],
    'mixed.example': [[publicAddress, '127.0.0.1']],
    'mapped.example': [['::ffff:127.0.0.1']],
    'nothing.example': [[]],
  }
  const refused: readonly [url: string, reason: FetchErrorReason][] = [
    ['http://localhost/', 'address'],
    ['http://LOCALHOST/', 'address'],
    ['http://me.localhost/', 'address'],
    ['https://inside.example/', 'address'],
    ['http://metadata.example/', 'address'],
    ['http://mixed.example/', 'address'],
    ['http://mapped.example/', 'address'],
    ['http://nothing.example/', 'host'],
    ['http://unknown.example/', 'host'],
  ]
  for (const [url, reason] of refused) {
    test(`when it is that of ${url} (${reason})`, async () => {
      const { fetch, close } = fetcherOf('', names)
      const { message, reason: actual } = await refusal(fetch(url))
      assert.equal(actual, reason)
      assert.doesNotMatch(message, /\d+\.\d+\.\d+\.\d+|::/)
      await close()
    })
  }

  test('also when it ends in a dot', async () => {
    const { fetch, close } = fetcherOf('', { 'inside.example.': [['10.0.0.1']], 'localhost.': [['127.0.0.1']] })
    for (const host of ['inside.example.', 'localhost.']) {
      assert.equal((await refusal(fetch(`http://${host}/`))).reason, 'address')
    }
    await close()
  })
})

describe('what is allowed', () => {
  let server: Served
  before(async () => {
    server = await serve((_, response) => response.end('there'), '127.0.0.2')
  })
  after(() => server.close())

  async function outcome(allow: string, host: string, names: Names = {}): Promise<string> {
    const { fetch, close } = fetcherOf(allow, names)
    const [result] = await Promise.allSettled([fetch(`http://${host}:${server.port}/`)])
    await close()
    return result.status === 'fulfilled' ? result.value.body.toString() : (result.reason as FetchError).reason
  }

  test('is a host, a domain, an address or a network, each with its port', async () => {
    const { port } = server
    const names: Names = { 'files.local': [['127.0.0.2']], 'a.files.local': [['127.0.0.2']] }
    assert.equal(await outcome(`files.local:${port}`, 'files.local', names), 'there')
    assert.equal(await outcome(`FILES.local:${port}`, 'Files.Local', names), 'there')
    assert.equal(await outcome(`*.files.local:${port}`, 'a.files.local', names), 'there')
    assert.equal(await outcome(`*.files.local:${port}`, 'files.local', names), 'address')
    assert.equal(await outcome(`files.local:${port}`, 'a.files.local', names), 'address')
    assert.equal(await outcome(`127.0.0.2:${port}`, '127.0.0.2'), 'there')
    assert.equal(await outcome(`127.0.0.0/30:${port}`, 'files.local', names), 'there')
    assert.equal(await outcome(`127.0.0.4/30:${port}`, 'files.local', names), 'address')
    assert.equal(await outcome(`10.0.0.0/8:${port}`, publicAddress), 'port')
    assert.equal(await outcome('files.local 127.0.0.0/8', 'files.local', names), 'port')
    assert.equal(await outcome(`[::ffff:127.0.0.2]:${port}`, '127.0.0.2'), 'there')
  })

  test('is checked for every connection, so a name that resolves to another address later is refused', async () => {
    const names: Names = { 'rebinding.example': [['127.0.0.2'], ['127.0.0.1']] }
    const { fetch, close, asked: lookups } = fetcherOf(`127.0.0.2:${server.port},127.0.0.3:${server.port}`, names)
    const url = `http://rebinding.example:${server.port}/`
    assert.equal((await fetch(url)).body.toString(), 'there')
    await server.close()
    assert.equal((await refusal(fetch(url))).reason, 'address')
    assert.equal(lookups.length, 2)
    await close()
    server = await serve((_, response) => response.end('there'), '127.0.0.2')
  })
})
