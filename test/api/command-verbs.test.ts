import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Compile } from 'typebox/schema'
import { parse } from 'yaml'
import { easel, folderWith, keysOf, typeEasel } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/harness.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/workspace-file.md'), 'utf8')
const documented = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map((match) => match[1]!)

test('pull writes the file as it is now, and applying that changes nothing', async () => {
  using folder = folderWith()
  await using service = await startService()
  const env = keysOf(service)
  let applied = 0
  for (const [i, text] of documented.entries()) {
    writeFileSync(folder.path(`${i}.yaml`), text)
    // Some examples refer to entries of other pages or rename the default workspace; what can be applied alone is.
    if ((await easel(['apply', folder.path(`${i}.yaml`)], env)).code === 0) applied++
  }
  assert.ok(applied > documented.length / 2, `${applied} of ${documented.length}`)
  const exact = '{"settings": {"email_rates": {"per_second": 12.5}}, "apps": [{"name": "0x10", "platform": "web"}]}'
  writeFileSync(folder.path('exact.json'), exact)
  assert.equal((await easel(['apply', folder.path('exact.json')], env)).code, 0)
  const { body } = await service.admin('GET', '/admin/workspace')
  for (const { id } of body.workspaces) {
    for (const name of [`${id}-pulled.yaml`, `${id}-pulled.json`]) {
      const pulled = await easel(['pull', folder.path(name), '--workspace', id], env)
      assert.deepEqual([pulled.code, pulled.err], [0, `Workspace ${id} was written to ${folder.path(name)}.\n`])
      const again = await easel(['apply', folder.path(name)], env)
      assert.match(again.out, /: nothing to change\.\n$/, `${again.out}${again.err}`)
    }
  }
  const [first] = body.workspaces
  const printed = await typeEasel(['pull'], env)
  assert.equal(printed.out, readFileSync(folder.path(`${first.id}-pulled.yaml`), 'utf8'))
  const unknown = await easel(['pull', '--workspace', 'nowhere'], env)
  assert.deepEqual([unknown.code, unknown.err.split(';')[0]], [1, 'There is no workspace "nowhere"'])
})

test('pull reads a data directory that no server uses', async () => {
  using folder = folderWith({ 'shop.yaml': 'apps: [{name: Web, platform: web}]\n' })
  const env = { EASEL_DATA: folder.path('data') }
  assert.equal((await easel(['pull'], env)).err, 'there is no database yet: npm start creates it\n')
  assert.ok(!existsSync(env.EASEL_DATA))
  assert.equal((await easel(['apply', folder.path('shop.yaml')], env)).code, 0)
  const { out } = await easel(['pull'], env)
  assert.deepEqual(
    parse(out).apps.map(({ name }: { name: string }) => name),
    ['Web'],
  )
})

test('validate checks a file offline, and its schema for editors agrees', async () => {
  using folder = folderWith({
    'wrong.yaml': 'apps:\n  - {name: Web}\ncolour: red\n',
    'refers.yaml':
      'canvases: [{id: c, name: C, first: s, steps: [{id: s, type: decision, audience: {segment_id: gold}}]}]\n',
  })
  const schema = Compile(JSON.parse(readFileSync(join(root, 'workspace-file.schema.json'), 'utf8')))
  assert.deepEqual(await easel(['validate', 'examples/workspace.yaml'], {}), {
    code: 0,
    out: 'examples/workspace.yaml is a valid workspace file.\n',
    err: '',
  })
  assert.match(
    readFileSync(join(root, 'examples/workspace.yaml'), 'utf8'),
    /^# yaml-language-server: \$schema=\.\.\/workspace-file\.schema\.json\n/,
  )
  const wrong = await easel(['validate', folder.path('wrong.yaml')], {})
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /wrong\.yaml:2:5: apps\[0\]\.platform is missing.*\n.*wrong\.yaml:3:1: colour is not known/)
  const refers = await easel(['validate', folder.path('refers.yaml'), '--json'], {})
  assert.equal(refers.code, 1)
  assert.match(JSON.parse(refers.out).error.message, /gold/)

  for (const text of documented) assert.ok(schema.Check(parse(text)), text)
  assert.ok(schema.Check({ settings: { bcc: null }, apps: null }))
  for (const value of [
    { apps: [{ name: 'Web' }] },
    { colour: 1 },
    { settings: { colour: 1 } },
    { settings: { strict: 'yes' } },
  ])
    assert.ok(!schema.Check(value), JSON.stringify(value))
})

test('inbox, why and clock show what the server did', async () => {
  await using service = await startService({
    env: { EASEL_CLOCK: 'virtual' },
    workspace: { apps: [{ id: 'shop', name: 'Shop', platform: 'web' }] },
  })
  const env = keysOf(service)
  const run = async (...args: string[]) => {
    const ran = await easel(args, env)
    assert.equal(ran.code, 0, ran.err)
    return ran.out
  }
  const before = JSON.parse(await run('clock', '--json'))
  assert.equal(before.clock, 'virtual')
  assert.equal(await run('inbox'), 'There is no mail in the inbox.\n')
  const email = { app_id: 'shop', from: 'Shop <shop@example.com>', subject: 'Hello, Ada', body: '<p>Good day</p>' }
  await service.post('/users/track', { attributes: [{ external_id: 'ada', email: 'ada@example.com' }] })
  await service.post('/messages/send', { external_user_ids: ['ada', 'nobody'], messages: { email } })
  const moved = await run('clock', 'P1D')
  assert.equal(Date.parse(moved.split(' ')[0]!) - Date.parse(before.now), 86_400_000)
  await eventually('the mail is delivered', async () => (await run('inbox')).includes('ada@example.com'))
  const list = await run('inbox', '--to', 'ada@example.com')
  assert.match(list, /^ID +AT +TO +SUBJECT\n\S+ +\S+ +ada@example\.com +Hello, Ada\n$/)
  const [, id = ''] = /^(\S+) +\S+ +ada/m.exec(list)!
  assert.match(
    await run('inbox', id),
    /^From: .*shop@example\.com.*\nTo: ada@example\.com\nSubject: Hello, Ada\nAt: .*\n\nGood day\n$/,
  )
  assert.match(await run('why', 'ada'), /^AT +ABOUT +REASON +BECAUSE\n\S+ +email +sent +\S.*\n$/)
  assert.match(await run('why', 'nobody'), /no_such_user/)

  const back = await easel(['clock', '2001-01-01T00:00:00Z'], env)
  assert.deepEqual([back.code, /never goes back/.test(back.err)], [1, true])
  for (const args of [['why'], ['why', 'ada', '--email', 'a@example.com']])
    assert.equal((await easel(args, env)).code, 2)
  const without = await easel(['inbox'], { ...env, EASEL_ADMIN_TOKEN: undefined })
  assert.deepEqual([without.code, without.err.startsWith('EASEL_ADMIN_TOKEN must be set')], [2, true])
  const wrong = await easel(['why', 'ada'], { ...env, EASEL_ADMIN_TOKEN: 'w'.repeat(32) })
  assert.deepEqual([wrong.code, /is not the admin token of this server/.test(wrong.err)], [1, true])
})

test('open starts the browser with the address of a running server', async () => {
  using folder = folderWith({ browser: '' })
  writeFileSync(folder.path('browser'), `#!/bin/sh\necho "$1" > ${folder.path('opened')}\n`)
  chmodSync(folder.path('browser'), 0o755)
  await using service = await startService()
  const env = { ...keysOf(service), BROWSER: folder.path('browser') }
  const opened = await easel(['open', '/docs'], env)
  assert.deepEqual([opened.code, opened.out], [0, `${service.url}/docs\n`], opened.err)
  await eventually('the browser is started', async () => existsSync(folder.path('opened')))
  const missing = await easel(['open'], { ...env, BROWSER: folder.path('none') })
  assert.deepEqual([missing.code, /cannot be started; the address is http/.test(missing.err)], [1, true])
  assert.match((await easel(['open'], { ...env, PORT: '1' })).err, /^no server answers at http\S+\n$/)
})

test('demo makes the demo once, and says where to look', async () => {
  await using service = await startService()
  const env = keysOf(service)
  const made = await easel(['demo'], env)
  assert.equal(made.code, 0, made.err)
  assert.match(
    made.out,
    /^The workspace demo is made: 1000 people, \d+ events, \d+ purchases\.\nLook at http\S+\/dashboard\/w\/demo\n$/,
  )
  const again = await easel(['demo'], env)
  assert.deepEqual(
    [again.code, again.err],
    [1, 'There is a workspace demo already. It stays as it is: a demo is loaded once\n'],
  )
})

test('the script for bash completes commands, verbs below them, options and files', async () => {
  const { out } = await easel(['completion', 'bash'], {})
  using folder = folderWith({ script: out, 'shop.yaml': '' })
  const complete = (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ')
    const call = `COMP_WORDS=(easel ${list}); COMP_CWORD=${words.length}; _easel`
    const program = `source ${folder.path('script')}; ${call}; echo "\${COMPREPLY[*]}"`
    return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim().split(' ')
  }
  assert.deepEqual(complete('ap'), ['apply'])
  assert.deepEqual(complete('de'), ['demo'])
  assert.deepEqual(complete('demo', '--u'), ['--url'])
  assert.ok(complete('').includes('completion'))
  assert.ok(complete('keys', '').includes('create'))
  assert.deepEqual(complete('keys', 'create', '--pe'), ['--permission'])
  assert.deepEqual(complete('import', 'people.csv', '--tr'), ['--track'])
  assert.deepEqual(complete('apply', folder.path('sh')), [folder.path('shop.yaml')])
  for (const shell of ['zsh', 'fish']) assert.match((await easel(['completion', shell], {})).out, /easel/)
  assert.equal((await easel(['completion', 'tcsh'], {})).code, 2)
})
