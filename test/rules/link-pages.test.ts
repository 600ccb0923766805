import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedAddress } from '../../src/base/http/link-pages.ts'

const publicUrl = 'https://easel.example.com/shop'
const address = (host?: string) => askedAddress(host, publicUrl)

test('links are below the public URL when that was asked, in whatever spelling, or no host', () => {
  const same = ['easel.example.com', 'Easel.Example.COM', 'easel.example.com:443']
  for (const host of [undefined, ...same, '', 'a b', 'a>; rel="next"', 'user@other', 'other/path', 'a:b', 'a:99999']) {
    assert.equal(address(host), publicUrl, host ?? 'none')
  }
})

test('links to another host keep TLS, unless the host is local', () => {
  for (const host of ['api.example.com', 'easel.example.com:8443']) assert.equal(address(host), `https://${host}`)
  for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080', 'easel', 'easel_1.internal']) {
    assert.equal(address(host), `http://${host}`)
  }
})
