import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import test from 'node:test'
import { judgeDrift } from '../../cli/doctor-clock.ts'
import { judgeDkimKey, judgeKeys } from '../../cli/doctor-installation.ts'
import { findSecrets } from '../../cli/doctor-secrets.ts'
import { keyIdOf } from '../../src/base/root-secrets.ts'
import { dkimRecord } from '../../src/messaging/mail/dkim-keys-config-section.ts'

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)]

test('a clock may be a second away, and an HTTP date a second more behind, because it is cut', () => {
  for (const [driftMs, stepMs, ok] of [
    [999, 0, true],
    [1000, 0, true],
    [1001, 0, false],
    [-1000, 0, true],
    [-1001, 0, false],
    [-1999, 1000, true],
    [-2000, 1000, true],
    [-2001, 1000, false],
    [1001, 1000, false],
  ] as const)
    assert.equal(judgeDrift('it', driftMs, stepMs).ok, ok, `${driftMs} ms of ${stepMs} ms`)
  assert.equal(judgeDrift('the database server', -90_000).text, 'the database server is 90.0 s behind')
  assert.equal(judgeDrift('the database server', 1500).text, 'the database server is 1.5 s ahead')
})

test('a root secret must be the one that encrypted what is stored', () => {
  const cases = [
    [null, [], true, /without EASEL_SECRET/, /set EASEL_SECRET/],
    [null, [first], true, /next start encrypts/, undefined],
    [keyIdOf(first), [first], true, /opens/, undefined],
    [keyIdOf(first), [second, first], true, /an earlier secret/, /easel secrets rotate/],
    [keyIdOf(first), [], false, /is missing/, /give the secret/],
    [
      keyIdOf(first),
      [second],
      false,
      new RegExp(`${keyIdOf(second)}, and ${keyIdOf(first)} is needed`),
      /give the secret/,
    ],
  ] as const
  for (const [keyId, given, ok, text, remedy] of cases) {
    const found = findSecrets(keyId, given)
    assert.equal(found.ok, ok)
    assert.match(found.text, text)
    assert.match(found.remedy ?? '', remedy ?? /^$/)
    assert.ok(!given.some((secret) => JSON.stringify(found).includes(secret)))
  }
})

test('API keys without permissions are wrong, and keys that were never used are named, five of them', () => {
  const key = (name: string, permissions: string[], last_used_at: string | null) => ({
    name,
    permissions,
    last_used_at,
  })
  const used = key('Used', ['*'], '2030-01-01T00:00:00Z')
  assert.deepEqual(judgeKeys([used]), [{ subject: 'Keys', ok: true, text: '1 API keys, each was used' }])
  const [idle] = judgeKeys([used, key('Idle', [], null)])
  assert.deepEqual([idle!.ok, idle!.text], [false, '2 API keys; without permissions: Idle'])
  for (const [count, end] of [
    [4, 'k3'],
    [5, 'k4'],
    [6, 'k4, 1 more'],
  ] as const) {
    const keys = Array.from({ length: count }, (_, i) => key(`k${i}`, ['*'], null))
    const [found] = judgeKeys(keys)
    assert.equal(found!.ok, true)
    assert.ok(found!.text.endsWith(end), found!.text)
  }
})

test('an RSA key of a mail domain has 2048 bits or more', () => {
  const entry = (modulusLength: number) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength })
    return keyOf(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
  }
  const keyOf = (private_key: string) => {
    const key = { id: 'k', name: 'shop.example', selector: 's1', private_key }
    return { ...key, dns: dkimRecord(key) }
  }
  assert.deepEqual(judgeDkimKey(entry(2048)), [])
  const [short] = judgeDkimKey(entry(1024))
  assert.deepEqual([short!.ok, short!.text], [false, 'shop.example: the key has 1024 bits'])
  const edwards = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  assert.deepEqual(judgeDkimKey(keyOf(edwards as string)), [])
})
