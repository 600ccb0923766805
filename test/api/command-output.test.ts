import assert from 'node:assert/strict'
import test from 'node:test'
import easelPackage from '../../package.json' with { type: 'json' }
import { easel, folderWith, keysOf, typeEasel } from '../support/command-line.ts'
import { startService } from '../support/harness.ts'

test('--version prints the version of package.json', async () => {
  for (const option of ['--version', '-v'])
    assert.deepEqual(await easel([option], {}), { code: 0, out: `${easelPackage.version}\n`, err: '' })
})

test('with --json every verb prints one document, also for an error, and the exit code stays', async () => {
  using folder = folderWith({
    'shop.yaml': 'apps: [{name: Web, platform: web}]\n',
    'wrong.yaml': 'apps:\n  - {name: Web}\n',
    'people.csv': 'external_id,plan\na,gold\nb\n',
    'items.csv': 'id,Zip\nx,1\n',
  })
  await using service = await startService()
  const run = async (...args: string[]) => {
    const { code, out, err } = await easel([...args, '--json'], keysOf(service))
    assert.equal(out.trimEnd().split('\n').length, 1, `${args}: ${out}${err}`)
    return { code, result: JSON.parse(out) }
  }
  const applied = await run('apply', folder.path('shop.yaml'))
  assert.equal(applied.code, 0)
  assert.equal(applied.result.changes[0].name, 'Web')
  const wrong = await run('apply', folder.path('wrong.yaml'))
  assert.equal(wrong.code, 1)
  assert.deepEqual(
    wrong.result.error.mistakes.map(({ path, line }: { path: string; line: number }) => [path, line]),
    [['apps[0].platform', 2]],
  )
  const usage = await run('apply', '--plann')
  assert.deepEqual([usage.code, usage.result.error.message.split('\n')[0]], [2, "unknown option '--plann'"])
  const { result: made } = await run('keys', 'create', 'Loader', '--permission', 'users.track')
  const { result: listed } = await run('keys', 'list')
  assert.ok(listed.keys.some(({ id }: { id: string }) => id === made.key.id))
  assert.deepEqual((await run('keys', 'delete', made.key.id)).result, { deleted: made.key.id })
  const planned = await run('import', folder.path('people.csv'), '--plan')
  assert.deepEqual([planned.code, planned.result.rows, planned.result.refused, planned.result.new], [1, 2, 1, 1])
  const imported = await run('import', folder.path('people.csv'))
  assert.deepEqual([imported.code, imported.result.imported], [1, 1])
  assert.deepEqual(imported.result.refusals, [{ line: 3, reason: 'has 1 fields where the first line has 2' }])
  const exported = await run('export', folder.path('people.jsonl'))
  assert.deepEqual(exported, { code: 0, result: { people: 1, lines: 2 } })
  assert.equal((await run('import', folder.path('people.jsonl'))).result.known, 1)
  assert.deepEqual((await run('catalog', 'shops', folder.path('items.csv'), '--create')).result.written, 1)
  assert.equal((await easel(['export', '-', '--json'], keysOf(service))).code, 2)
  const doctor = await typeEasel(['doctor', '--json'], { EASEL_DATA: 'memory' })
  assert.ok(
    JSON.parse(doctor.out).findings.every(({ ok }: { ok: boolean }) => ok),
    doctor.out,
  )
  const migrated = await easel(['migrate', '--json'], { EASEL_DATA: folder.path('data') })
  const { applied: files, earlier } = JSON.parse(migrated.out)
  assert.ok(files.length + earlier > 0, migrated.out)
})

test('a plan with a key that the server refuses fails', async () => {
  using folder = folderWith({ 'ids.csv': 'external_id\na\n', 'mails.csv': 'email\na@example.com\n' })
  await using service = await startService()
  for (const name of ['ids.csv', 'mails.csv']) {
    const args = ['import', folder.path(name), '--plan']
    const wrong = await easel(args, { ...keysOf(service), EASEL_API_KEY: 'w'.repeat(32) })
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /^the server at http\S+ answered 401: .+\n$/)
    const without = { ...keysOf(service), EASEL_API_KEY: await service.key(['users.track']) }
    const unknown = await easel(args, without)
    assert.equal(unknown.code, 0, unknown.err)
    assert.match(unknown.out, /Whether these people exist already is not known: /)
  }
})

test('a database that is away is one line with its host and what to do, and a data directory that is a file too', async () => {
  using folder = folderWith({ file: '' })
  const away = await easel(['migrate'], { DATABASE_URL: 'postgres://127.0.0.1:1/easel' })
  assert.equal(away.code, 1)
  assert.match(away.err, /^DATABASE_URL: no server answers at 127\.0\.0\.1:1; start PostgreSQL there.*\n$/)
  const file = await easel(['migrate'], { EASEL_DATA: folder.path('file') })
  assert.equal(file.code, 1)
  assert.match(file.err, /^EASEL_DATA: .*\n$/)
})
