import assert from 'node:assert/strict'
import test from 'node:test'
import { readMigrations } from '../../src/base/db/migrate.ts'

/** A new migration gets a line here. A line never changes, because databases store the checksums of applied migrations. */
const checksums: Readonly<Record<string, string>> = {
  '0001_base.sql': '7c51d228af0b452516bebc9407fc441d9784fa6a5bfd77a8d0d65e3455761303',
  '0002_workspace.sql': '2c45c2cb09914b92facbd03908ef54ac93b9df6d935ca17a8a785046e6cbbe4d',
  '0003_accounts.sql': '660c7daa64ef4acbfcb9b181c2bdcf9550acd94ab8d20055bd02150617f79a6e',
  '0004_people.sql': '3156ab5883ee449ca99cceb83a53d5b127867608c48b52ca9f2c46e0e595d4e4',
  '0005_audience.sql': '5c471a410771a00f399f938d2cf1ce362ec83076def51896b8956ea01d144772',
  '0006_content.sql': 'e0d19e727db39e43a283df06a6fdeb36e2ae756bd3128d02c1ee04b242dd75ae',
  '0007_messaging.sql': '3862c7a10a1ac06ac2ab61b6446cdee46a899fb30bc682de8905d5529688ce51',
}

test('released migrations are never edited', () => {
  assert.deepEqual(Object.fromEntries(readMigrations().map(({ name, checksum }) => [name, checksum])), checksums)
})
