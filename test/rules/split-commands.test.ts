import assert from 'node:assert/strict'
import test, { before } from 'node:test'
import { loadModule, parseSync } from 'libpg-query'
import { readMigrations } from '../../src/base/db/migrate.ts'
import { splitCommands } from '../../src/base/db/split-commands.ts'
import { violatedKey } from '../../src/base/db/unique-violation.ts'

before(loadModule)

test('a text is split at the semicolons that end commands', () => {
  assert.deepEqual(
    splitCommands('select \';\'; select ";";;\n select 1 -- a; b\n; /* ; */ ; do $$ begin; end $$; do $a$ $$; $a$'),
    ["select ';'", 'select ";"', 'select 1 -- a; b', 'do $$ begin; end $$', 'do $a$ $$; $a$'],
  )
  assert.deepEqual(splitCommands("select 'it''s; so'"), ["select 'it''s; so'"])
  assert.deepEqual(splitCommands(' -- nothing;\n'), [])
})

test('each migration is split as the parser of PostgreSQL splits it', () => {
  for (const { name, text } of readMigrations()) {
    const commands = splitCommands(text)
    assert.equal(commands.length, parseSync(text).stmts!.length, name)
    for (const command of commands) assert.equal(parseSync(command).stmts!.length, 1, `${name}: ${command}`)
  }
})

test('a violated key is known by the column of the error, or by the message that a coordinator passes on', () => {
  assert.equal(violatedKey({ code: '23505', constraint: 'profile_pkey' }), 'profile_pkey')
  const message = 'duplicate key value violates unique constraint "profile_pkey_102021"'
  assert.equal(violatedKey({ code: 'XX000', message }), 'profile_pkey_102021')
  assert.equal(violatedKey({ code: '23505', message }), 'profile_pkey_102021')
  assert.equal(violatedKey({ code: 'XX000', message: 'EOF detected' }), undefined)
  assert.equal(violatedKey({ code: '22000', message }), undefined)
})
