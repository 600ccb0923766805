import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { decrypt, encrypt } from '../../src/base/encrypt.ts'
import { findDkimKey } from '../../src/messaging/mail/dkim-keys-config-section.ts'
import {
  findCredential,
  insertCredentials,
  insertDkimKeys,
  listCredentials,
} from '../../src/messaging/mail/secret-store.ts'
import { insertInstallation } from '../../src/workspace/settings/installation-store.ts'
import { onBothDatabases } from '../support/databases.ts'

const at = new Date(0)

test('an encrypted text can be decrypted with the same secret and context only, and differs each time', () => {
  const secret = randomBytes(32)
  for (const text of ['', 'a', 'pässword\n'.repeat(1000)]) {
    const sealed = encrypt(text, 'credential 1 a', secret)
    assert.equal(decrypt(sealed, 'credential 1 a', secret), text)
    assert.notDeepEqual(encrypt(text, 'credential 1 a', secret), sealed)
    assert.throws(() => decrypt(sealed, 'credential 1 b', secret))
    assert.throws(() => decrypt(sealed, 'credential 1 a', randomBytes(32)))
    for (const i of [0, 1, 13, sealed.length - 1]) {
      const changed = Buffer.from(sealed)
      changed[i]! ^= 1
      assert.throws(() => decrypt(changed, 'credential 1 a', secret))
    }
    assert.throws(() => decrypt(sealed.subarray(0, 28), 'credential 1 a', secret))
  }
})

onBothDatabases('a password is stored encrypted, and found by workspace and name', async (open) => {
  const db = await open()
  await insertInstallation(db, randomBytes(32), at)
  const files = { id: 'a', name: 'files', user_name: 'easel', password: 'pässword', origins: ['https://a.co'] }
  const more = { ...files, id: 'b', name: 'more', password: 'other', origins: [] }
  await insertCredentials(db, 1, [files, more], at)
  await insertCredentials(db, 2, [{ ...files, password: 'elsewhere' }], at)
  assert.deepEqual(await findCredential(db, 1, 'files'), files)
  assert.equal((await findCredential(db, 2, 'files'))?.password, 'elsewhere')
  assert.equal(await findCredential(db, 1, 'none'), undefined)
  assert.equal(await findCredential(db, 3, 'files'), undefined)
  assert.deepEqual(await listCredentials(db, 1), [files, more])

  const rows = await db.query<{ password: Buffer }>(sql`select password from credential`)
  for (const { password } of rows) assert.ok(!password.toString('latin1').includes('word'))
  await db.query(sql`update credential set password = (select password from credential where id = 'b') where id = 'a'`)
  await assert.rejects(
    findCredential(db, 1, 'files'),
    'an encrypted password of another credential cannot be decrypted',
  )
})

onBothDatabases(
  'mail is signed with the key of its domain, else with that of the nearest parent domain',
  async (open) => {
    const db = await open()
    await insertInstallation(db, randomBytes(32), at)
    const private_key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const keys = ['shop.example', 'mail.shop.example', 'other.example'].map((name) => ({
      id: name,
      name,
      selector: 's',
      private_key,
    }))
    await insertDkimKeys(db, 1, keys, at)
    for (const [domain, expected] of [
      ['shop.example', 'shop.example'],
      ['news.shop.example', 'shop.example'],
      ['mail.shop.example', 'mail.shop.example'],
      ['a.b.mail.shop.example', 'mail.shop.example'],
      ['myshop.example', undefined],
      ['example', undefined],
    ] as const) {
      assert.equal((await findDkimKey(db, 1, domain))?.name, expected)
    }
    assert.equal((await findDkimKey(db, 1, 'shop.example'))?.private_key, private_key)
    assert.equal(await findDkimKey(db, 2, 'shop.example'), undefined)
  },
)
