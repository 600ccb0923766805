import assert from 'node:assert/strict'
import test from 'node:test'
import { temporaryFolder } from '../fault/folders.ts'
import { newDatabase } from '../servers/template.ts'
import { type Environment, easel, typeEasel } from '../support/command-line.ts'
import { drawDatabases, type Spawned, spawnService } from '../support/harness.ts'

const given = 'an-admin-token-that-only-the-environment-has'
const onceText = 'Keys and tokens are shown this once: keep them.'

/** Returns the row of the banner about the admin token. */
function adminRow({ lines }: Spawned): string {
  const row = lines.find((line) => line.startsWith('  Admin token '))
  assert.ok(row, lines.join('\n'))
  return row.replace('  Admin token ', '').trim()
}

async function statusOf(service: Spawned, token: string): Promise<number> {
  return (await service.get('/admin/keys', { key: token })).status
}

async function assertOnly(service: Spawned, valid: string, ...refused: readonly string[]): Promise<void> {
  assert.equal(await statusOf(service, valid), 200)
  for (const token of refused) assert.equal(await statusOf(service, token), 401)
}

for (const database of drawDatabases('admin-token')) {
  test(`the token of the environment is valid while it is given, otherwise the one of the installation (${database})`, async () => {
    using folder = temporaryFolder()
    const DATABASE_URL = database === 'postgres' ? await newDatabase('service') : ''
    const env = { EASEL_DATA: folder.path, DATABASE_URL }
    const start = (token: string) => spawnService({ dataDir: folder.path, env: { ...env, EASEL_ADMIN_TOKEN: token } })

    await using first = await start(given)
    assert.match(adminRow(first), /^the value of EASEL_ADMIN_TOKEN/)
    await assertOnly(first, given)
    await first.stop()

    await using second = await start('')
    const own = adminRow(second)
    assert.match(own, /^easel_admin_\S+$/)
    assert.ok(second.lines.some((line) => line.includes(onceText)))
    await assertOnly(second, own, given)
    await second.stop()

    await using third = await start('')
    assert.match(adminRow(third), /^the one that was shown once; .* keys reset-admin$/)
    assert.doesNotMatch(third.lines.join('\n'), /shown this once/)
    await assertOnly(third, own, given)
    const beside = await typeEasel(['keys', 'reset-admin'], env)
    assert.equal(beside.code, 0, beside.err)
    assert.match(beside.err, /^The admin token was replaced\. It is shown this once/)
    const replaced = beside.out.trim()
    await assertOnly(third, replaced, own, given)
    await third.stop()
    if (database === 'postgres') return

    const { code, out } = await easel(['keys', 'reset-admin'], env)
    assert.equal(code, 0)
    // A user has copied the token of the installation to the environment, and then removed it there.
    await using fourth = await start(out.trim())
    await assertOnly(fourth, out.trim(), replaced, own)
    await fourth.stop()
    await using fifth = await start('')
    await assertOnly(fifth, adminRow(fifth), out.trim(), replaced, own)
  })
}

const refused: readonly [string, Environment, number, RegExp][] = [
  [
    'with a token in the environment',
    { EASEL_ADMIN_TOKEN: given },
    2,
    /^EASEL_ADMIN_TOKEN: a value was given, .* none\n$/,
  ],
  ['in memory', { EASEL_DATA: 'memory' }, 1, /^EASEL_DATA=memory: the admin token ends with the server; .*\n$/],
]
for (const [when, env, code, says] of refused) {
  test(`reset-admin is refused ${when}`, async () => {
    const ended = await easel(['keys', 'reset-admin'], env)
    assert.equal(ended.code, code)
    assert.match(ended.err, says)
  })
}
