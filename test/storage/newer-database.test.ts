import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newDatabase } from '../servers/template.ts'
import { type Environment, easel, folderWith } from '../support/command-line.ts'
import { quiet } from '../support/databases.ts'
import { databases, startService } from '../support/harness.ts'

const clock = systemClock()
const refusal =
  'the database was changed by a newer release (9999_newer.sql): this one cannot run on it; run that release or a newer one, ' +
  'or restore a backup from before the upgrade'

/** Records a migration of a newer release. */
async function addMigration({ EASEL_DATA, DATABASE_URL }: Environment, breaking: boolean): Promise<void> {
  const place = { dataDir: EASEL_DATA!, ...(DATABASE_URL && { databaseUrl: DATABASE_URL }) }
  const db = await openDb({ ...place, log: quiet, clock })
  await db.query(sql`
    insert into migration (number, name, checksum, breaking, applied_at)
    values (9999, '9999_newer.sql', 'sum', ${breaking}, ${new Date(clock.now())})
    on conflict (number) do update set breaking = excluded.breaking`)
  await db.close()
}

for (const database of databases) {
  test(`a database of a newer release is refused by a start and by every command, and stays as it is (${database})`, async () => {
    using folder = folderWith({ 'file.yaml': 'apps: [{name: Web, platform: web}]\n' })
    const databaseUrl = database === 'postgres' ? await newDatabase('newer') : undefined
    const env = { EASEL_DATA: folder.path('data'), ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
    const start = () => startService({ database, env })
    await (await start())[Symbol.asyncDispose]()

    // Most migrations leave what the release before needs.
    await addMigration(env, false)
    await (await start())[Symbol.asyncDispose]()
    assert.equal((await easel(['keys', 'list'], env)).code, 0)
    const doctor = await easel(['doctor'], env)
    assert.match(doctor.out, /^wrong +Migrations +9999_newer\.sql applied by a newer release\n +run that release/m)

    await addMigration(env, true)
    await assert.rejects(start(), { message: refusal })
    const commands = [
      ['migrate'],
      ['keys', 'list'],
      ['keys', 'create', 'Loader', '--all'],
      ['keys', 'reset-admin'],
      ['pull'],
      ['apply', folder.path('file.yaml')],
      ['apply', folder.path('file.yaml'), '--plan'],
      ['export', folder.path('people.jsonl')],
      // A move out of a directory needs an empty PostgreSQL database.
      ...(database === 'postgres' ? [['move', folder.path('target')]] : []),
    ]
    for (const args of commands) {
      const { code, err, out } = await easel(args, env)
      assert.deepEqual([code, out], [1, ''], args.join(' '))
      assert.ok(err.includes(refusal), `${args.join(' ')}: ${err}`)
    }
    // Then the release that knows the migration goes on.
    await addMigration(env, false)
    assert.deepEqual(
      JSON.parse((await easel(['apply', folder.path('file.yaml'), '--plan', '--json'], env)).out).changes.length,
      1,
    )
  })
}

test('a backup of a newer release is restored for that release only: reading it is refused', async () => {
  using folder = folderWith({})
  const env = { EASEL_DATA: folder.path('data') }
  assert.equal((await easel(['migrate'], env)).code, 0)
  await addMigration(env, true)
  const file = folder.path('easel.tar.zst')
  const checked = await easel(['backup', file], env)
  assert.equal(checked.code, 1)
  assert.ok(checked.err.includes(refusal), checked.err)
  assert.equal((await easel(['backup', folder.path('other.tar.zst'), '--no-check'], env)).code, 0)
  const elsewhere = { EASEL_DATA: folder.path('elsewhere') }
  const restored = await easel(['restore', folder.path('other.tar.zst')], elsewhere)
  assert.equal(restored.code, 1)
  assert.ok(restored.err.includes(refusal), restored.err)
  assert.ok(existsSync(join(elsewhere.EASEL_DATA, 'database')))
})
