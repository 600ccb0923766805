import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readdirSync } from 'node:fs'
import test from 'node:test'
import { newDatabase } from '../servers/template.ts'
import { type Environment, easel, folderWith, typeEasel } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { type Database, drawDatabases, type Service, startService } from '../support/harness.ts'

const shop = `
settings: {time_zone: Europe/Paris}
apps: [{name: Web, platform: web}]
api_keys: [{name: Reader, permissions: [users.export.ids]}]
`

test('without a command, or with an unknown one, the usage is printed', async () => {
  const [none, help, wrong, option] = await Promise.all([
    typeEasel([], {}),
    easel(['--help'], {}),
    typeEasel(['aply'], {}),
    easel(['apply', '--plann', 'x'], {}),
  ])
  assert.deepEqual([none.code, help.code, wrong.code, option.code], [2, 0, 2, 2])
  assert.match(help.out, /apply +apply a workspace file/)
  assert.match(none.err, /apply +apply a workspace file/)
  assert.equal(wrong.err, "unknown command 'aply'\n(Did you mean apply?)\n")
  assert.equal(option.err, "unknown option '--plann'\n(Did you mean --plan?)\n")
  const keys = await typeEasel(['keys', '--help'], {})
  assert.equal(keys.code, 0)
  assert.match(keys.out, /^Usage: npm run easel -- keys \[options\] \[command\]\n/)
  assert.match(keys.out, /delete \[options\] <id> +Delete an API key\n/)
})

/** A canvas of delays whose names together are too long to be printed. */
function canvasFile(more: object, delays: readonly string[]): string {
  const ids = ['one', 'two', 'more']
  const steps = delays.map((wait, i) => {
    return {
      for: wait,
      type: 'delay',
      name: 'x'.repeat(100),
      id: ids[i]!,
      ...(i + 1 < delays.length && { next: ids[i + 1]! }),
    }
  })
  return JSON.stringify({ canvases: [{ id: 'wait', name: 'Wait', first: 'one', steps, ...more }] })
}

test('a file is planned and applied on a data directory that no server uses', async () => {
  using folder = folderWith({
    'shop.yaml': shop,
    'wrong.yaml': 'apps:\n  - {name: Web}\n  - {nam: Web, platform: web}\n',
  })
  const env = { EASEL_DATA: folder.path('data') }
  const planned = await easel(['apply', folder.path('shop.yaml'), '--plan'], env)
  assert.equal(planned.code, 0, planned.err)
  assert.deepEqual([planned.err, existsSync(env.EASEL_DATA)], ['', false])
  const listed = await easel(['keys', 'list'], env)
  assert.deepEqual([listed.code, listed.err], [1, 'there is no database yet: npm start creates it\n'])
  assert.equal(
    planned.out,
    'Workspace default (Default): 3 changes to make.\n' +
      '  + settings time_zone: (default) -> "Europe/Paris"\n  + apps Web\n  + api_keys Reader\n',
  )
  const applied = await easel(['apply', folder.path('shop.yaml')], env)
  const names = ['API key with every permission', 'Admin token', 'SCIM token']
  assert.equal(
    applied.err.replaceAll(/easel_(key|admin|scim)_\S+/g, '...'),
    names.map((name) => `${name}, shown this once: ...\n`).join(''),
  )
  assert.match(applied.out, /3 changes made\.\n.*Key "Reader", shown this once: easel_key_\S+\n$/s)
  const again = await easel(['apply', folder.path('shop.yaml')], env)
  assert.deepEqual(again, { code: 0, out: 'Workspace default (Default): nothing to change.\n', err: '' })
  const wrong = await easel(['apply', folder.path('wrong.yaml')], env)
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /wrong.yaml:2:5: apps\[0\].platform is missing; it must be android, /)
  assert.match(wrong.err, /wrong.yaml:3:5: apps\[1\].name is missing; .*\n.*:3:6: apps\[1\].nam is not known here/)
  const missing = await easel(['apply', folder.path('nothing.yaml')], env)
  assert.equal(missing.code, 1)
  assert.match(missing.err, /^\S+nothing\.yaml: there is no such file or directory\n$/)
})

/** Starts a server. Returns it with the environment of a command that runs beside it. */
async function startBeside(database: Database, dataDir: string): Promise<{ server: Service; place: Environment }> {
  const databaseUrl = database === 'postgres' ? await newDatabase('service') : undefined
  const env = { EASEL_DATA: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
  const server = await startService({ database, env })
  return { server, place: { ...env, PORT: new URL(server.url).port } }
}

for (const database of drawDatabases('command-line')) {
  test(`files, keys and the doctor work beside a running server (${database})`, async () => {
    using folder = folderWith({
      'shop.yaml': shop,
      'wrong.yaml': 'apps:\n  - {name: Web, platform: web, id: other}\n',
      'canvas.json': canvasFile({ exit: { events: ['gone'] } }, ['P1D', 'P1D']),
      'changed.json': canvasFile({}, ['P1D', 'P2D', 'P1D']),
    })
    const { server: started, place } = await startBeside(database, folder.path('data'))
    await using server = started
    const env = { ...place, EASEL_ADMIN_TOKEN: server.adminToken }
    const applied = await typeEasel(['apply', folder.path('shop.yaml')], env)
    assert.equal(applied.code, 0, applied.err)
    const key = /shown this once: (\S+)/.exec(applied.out)![1]!
    await until(async () => (await server.post('/users/export/ids', {}, { key })).status === 400)
    const wrong = await easel(['apply', folder.path('wrong.yaml')], env)
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /wrong.yaml:2:6: apps\[0\].name is taken: id \S+ has it\n$/)

    // The output names the changed steps, and the settings that the file leaves out.
    assert.equal((await easel(['apply', folder.path('canvas.json')], env)).code, 0)
    const changed = await easel(['apply', folder.path('changed.json'), '--plan'], env)
    assert.match(
      changed.out,
      /\n {2}~ canvases Wait: (?=.*exit \{.*\} -> \(default\))(?=.*steps \(two changed, more added\))/,
    )

    const made = await easel(['keys', 'create', 'Loader', '--permission', 'users.track'], env)
    assert.equal(made.code, 0, made.err)
    const loader = made.out.trim()
    const track = async () =>
      (await server.post('/users/track', { attributes: [{ external_id: 'a' }] }, { key: loader })).status
    await until(async () => (await track()) === 201)
    const listed = await easel(['keys', 'list', '--url', server.url], env)
    assert.match(listed.out, /^ID +NAME +BEGINS +PERMISSIONS +FROM +LAST USED\n/)
    assert.match(listed.out, /Loader +easel_key_\S+\.\.\. +users.track +anywhere/)
    const id = /^(\S+) +Loader/m.exec(listed.out)![1]!
    assert.equal((await easel(['keys', 'delete', id], env)).code, 0)
    await until(async () => (await track()) === 401)
    assert.deepEqual(await easel(['keys', 'delete', id], env), { code: 1, out: '', err: `There is no key "${id}"\n` })

    const doctor = await easel(['doctor'], place)
    const complaints = doctor.out
      .split('\n')
      .flatMap((line) => (line.startsWith('wrong') ? [line.split(/ +/)[1]!] : []))
    // The disk of the tests may be slow or nearly full. Their PostgreSQL runs without fsync, so that tests are faster.
    assert.deepEqual(
      complaints.filter((subject) => !['Disk', 'Sync'].includes(subject)),
      database === 'postgres' ? ['Durability'] : [],
    )
    assert.equal(doctor.code, complaints.length === 0 ? 0 : 1)
    assert.match(doctor.out, database === 'postgres' ? /Migrations +all \d+ applied/ : /a running server uses it/)
  })
}

test('records of people are exported to a file and tracked from it', async () => {
  using folder = folderWith({ 'ids.txt': 'ann\nnobody\nbob\n' })
  await using service = await startService()
  const attributes = [
    {
      external_id: 'ann',
      first_name: 'Ann',
      plan: 'gold',
      sizes: [1, 2],
      email: 'ann@example.com',
      time_zone: 'Asia/Tokyo',
    },
    { external_id: 'bob', current_location: { longitude: 2.5, latitude: 48 } },
  ]
  await service.post('/users/track', { attributes })
  const env = { PORT: new URL(service.url).port, EASEL_API_KEY: service.apiKey }
  const exported = await typeEasel(['export', folder.path('people.jsonl'), '--ids', folder.path('ids.txt')], env)
  assert.equal(exported.code, 0, exported.err)
  assert.match(exported.err, /^2 people written to .*; 1 ids are unknown.\n$/)

  await service.admin('POST', '/admin/workspace', { id: 'shop' })
  const { body: made } = await service.admin('POST', '/admin/keys?workspace=shop', {
    name: 'Loader',
    permissions: ['*'],
  })
  const shopEnv = { EASEL_API_KEY: made.key.key }
  const event = { external_id: 'ann', name: 'opened', time: '2024-01-01T00:00:00Z' }
  const more = [{ events: event }, { attributes: { colour: 'red' } }].map((line) => JSON.stringify(line))
  appendFileSync(folder.path('people.jsonl'), `\n${more.join('\n')}\nno json\n`)
  const args = ['import', folder.path('people.jsonl'), '--track', '--url', service.url]
  const imported = await typeEasel(args, shopEnv)
  assert.equal(imported.code, 1)
  assert.match(
    imported.err,
    /^line 5: .* is required\nline 6: is not a JSON object\n3 of 5 objects imported, 2 refused.\nThe refused lines are in .*\n$/,
  )
  const fields_to_export = ['custom_attributes', 'first_name', 'email', 'time_zone', 'last_coordinates']
  const { body } = await service.post(
    '/users/export/ids',
    { external_ids: ['ann', 'bob'], fields_to_export },
    { key: made.key.key },
  )
  assert.deepEqual(body.users, [
    {
      first_name: 'Ann',
      email: 'ann@example.com',
      time_zone: 'Asia/Tokyo',
      custom_attributes: { plan: 'gold', sizes: [1, 2] },
    },
    { last_coordinates: [2.5, 48], custom_attributes: {} },
  ])
  const rest = await easel([...args, '--from', '6'], shopEnv)
  assert.match(rest.err, /0 of 1 objects imported, 1 refused/)
})

test('a command without the admin token on a data directory in use fails and says what to do', async () => {
  using folder = folderWith()
  const { server, place: env } = await startBeside('pglite', folder.path('data'))
  await using _server = server
  const { code, err } = await typeEasel(['keys', 'list'], env)
  assert.equal(code, 1)
  assert.match(
    err,
    /is in use by a running server: set EASEL_ADMIN_TOKEN to .* at http:\S+, or stop that server first\n$/,
  )
  const other = await easel(['keys', 'list'], { ...env, EASEL_ADMIN_TOKEN: 'w'.repeat(32) })
  assert.match(other.err, /^Invalid admin token: EASEL_ADMIN_TOKEN is not the admin token of this server\n$/)
})

test('an import without a server leaves nothing beside its file', async () => {
  using folder = folderWith({ 'people.jsonl': '{"attributes": {"external_id": "a"}}\n' })
  const ran = await easel(['import', folder.path('people.jsonl'), '--url', 'http://127.0.0.1:1'], {
    EASEL_API_KEY: 'k'.repeat(32),
  })
  assert.deepEqual([ran.code, ran.err], [1, 'no server answers at http://127.0.0.1:1\n'])
  assert.deepEqual(readdirSync(folder.path('.')), ['people.jsonl'])
})

test('a command migrates the database by itself, once', async () => {
  using folder = folderWith()
  const env = { EASEL_DATA: folder.path('data') }
  const before = await typeEasel(['doctor'], env)
  assert.match(before.out, /Database +none yet: the first start creates it/)
  const first = await typeEasel(['migrate'], env)
  assert.equal(first.code, 0, first.err)
  assert.match((await easel(['migrate'], env)).out, /^Up to date: \d+ migrations, nothing to do.\n$/)
  assert.match((await easel(['doctor'], env)).out, /Migrations +all \d+ applied/)
})

async function until(reached: () => Promise<boolean>): Promise<void> {
  await eventually('it is reached', reached)
}
