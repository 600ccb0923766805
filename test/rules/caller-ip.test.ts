import assert from 'node:assert/strict'
import test from 'node:test'
import { createCallerIp, forwardedIpsMax, sourceOf } from '../../src/base/http/caller-ip.ts'

type Sent = { readonly 'x-forwarded-for'?: string; readonly forwarded?: string }

const trusted = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8']
const ipOf = (remoteAddress: string | undefined, headers: Sent, proxies = trusted) =>
  createCallerIp(proxies)({ headers, socket: { remoteAddress } })
const viaList = (list: string, peer = '10.0.0.1') => ipOf(peer, { 'x-forwarded-for': list })
const viaForwarded = (forwarded: string, peer = '10.0.0.1') => ipOf(peer, { forwarded })

test('the headers of a peer that is not a trusted proxy are not read', () => {
  const headers = { 'x-forwarded-for': '203.0.113.1', forwarded: 'for=203.0.113.2' }
  assert.equal(ipOf('10.0.0.1', headers, []), '10.0.0.1')
  for (const peer of ['192.0.2.8', '11.0.0.1', '::1', 'fe80::1']) assert.equal(ipOf(peer, headers), peer)
  assert.equal(ipOf(undefined, headers), '')
})

test('an IPv4 address that is written as IPv6 counts as IPv4, as peer and in a header', () => {
  assert.equal(ipOf('::ffff:192.0.2.8', {}), '192.0.2.8')
  assert.equal(viaList('203.0.113.1', '::ffff:10.0.0.1'), '203.0.113.1')
  assert.equal(viaList('::ffff:203.0.113.1'), '203.0.113.1')
})

const lists: readonly [list: string, caller: string][] = [
  ['203.0.113.1', '203.0.113.1'],
  // The part on the left is written by the caller.
  ['6.6.6.6, 203.0.113.1', '203.0.113.1'],
  ['6.6.6.6,203.0.113.1, 10.0.0.9,192.0.2.7', '203.0.113.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['203.0.113.1:5000', '203.0.113.1'],
  ['2001:db8::1, fd00::5', '2001:db8::1'],
  // Every hop is trusted: the first one is the caller.
  ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
  // A proxy that does not name its caller is the caller.
  ['6.6.6.6, unknown, 10.0.0.2', '10.0.0.2'],
  ['6.6.6.6, unknown', '10.0.0.1'],
  ['', '10.0.0.1'],
  ['203.0.113.1,', '10.0.0.1'],
  ['203.0.113.256', '10.0.0.1'],
  ['fe80::1%eth0', '10.0.0.1'],
  ['0x7f.1', '10.0.0.1'],
]
for (const [list, caller] of lists) {
  test(`X-Forwarded-For "${list}" from a trusted proxy names ${caller}`, () => assert.equal(viaList(list), caller))
}

const elements: readonly [forwarded: string, caller: string][] = [
  ['for=203.0.113.1', '203.0.113.1'],
  ['For="203.0.113.1:80";proto=https;by=10.0.0.1', '203.0.113.1'],
  ['for=6.6.6.6, for=203.0.113.1;host="a,for=6.6.6.6"', '203.0.113.1'],
  ['for="[2001:db8::1]:4711"', '2001:db8::1'],
  ['for=203.0.113.1 , for=10.0.0.9;by=10.0.0.1', '203.0.113.1'],
  ['for=_hidden', '10.0.0.1'],
  ['for=6.6.6.6, proto=https', '10.0.0.1'],
  ['for=6.6.6.6, for="unknown"', '10.0.0.1'],
]
for (const [forwarded, caller] of elements) {
  test(`Forwarded "${forwarded}" from a trusted proxy names ${caller}`, () =>
    assert.equal(viaForwarded(forwarded), caller))
}

test('a Forwarded header whose last element is ambiguous is refused', () => {
  // The caller has written the part before the comma, and the proxy the part after it.
  for (const own of ['for="6.6.6.6', 'for="6.6.6.6\\', 'nothing', 'for=6.6.6.6 x']) {
    for (const added of ['for=203.0.113.1', 'for="[2001:db8::1]"']) {
      assert.throws(() => viaForwarded(`${own}, ${added}`), { kind: 'invalid', message: 'Forwarded is not valid' })
    }
  }
  assert.equal(viaForwarded('for="6.6.6.6, 192.0.2.8', '192.0.2.8'), '192.0.2.8', 'read from an untrusted peer')
})

test('two headers that name different callers are refused, because one of them was written by the caller', () => {
  const both = (list: string, forwarded: string) => ipOf('10.0.0.1', { 'x-forwarded-for': list, forwarded })
  assert.equal(both('6.6.6.6, 203.0.113.1', 'for=203.0.113.1'), '203.0.113.1')
  assert.throws(() => both('203.0.113.1', 'for=6.6.6.6'), { kind: 'invalid', message: /name different callers/ })
  assert.throws(() => both('6.6.6.6', 'for=_hidden'), { kind: 'invalid' })
})

test('a bounded number of addresses of a header is read, and the last one read is the caller', () => {
  const chain = (proxies: number) => ['203.0.113.1', ...Array<string>(proxies).fill('10.0.0.9')].join(',')
  assert.equal(viaList(chain(forwardedIpsMax - 2)), '203.0.113.1')
  assert.equal(viaList(chain(forwardedIpsMax - 1)), '203.0.113.1')
  assert.equal(viaList(chain(forwardedIpsMax)), '10.0.0.9')
})

test('an IPv4 address counts alone, an IPv6 address with its /64 network', () => {
  assert.notEqual(sourceOf('192.0.2.1'), sourceOf('192.0.2.2'))
  assert.equal(sourceOf('2001:db8::1'), sourceOf('2001:db8:0:0:ffff::'))
  assert.equal(sourceOf('fe80::1%eth0'), sourceOf('fe80::2%eth0'))
  assert.notEqual(sourceOf('2001:db8::1'), sourceOf('2001:db8:0:1::1'))
  assert.equal(sourceOf('::ffff:192.0.2.1'), sourceOf('192.0.2.1'))
  assert.equal(sourceOf(''), '')
})

test('many callers behind one proxy are told apart, however many there were', () => {
  const find = createCallerIp(trusted)
  for (let n = 0; n < 5000; n++) {
    const ip = `203.0.${n >> 8}.${n & 255}`
    const headers = { 'x-forwarded-for': `10.0.0.9, ${ip}, 10.0.${n & 255}.1` }
    assert.equal(find({ headers, socket: { remoteAddress: '10.0.0.1' } }), ip)
  }
})
