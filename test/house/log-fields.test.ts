import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pino } from 'pino'
import { startMailServer } from '../servers/smtp.ts'
import { treeOf } from '../structure/source.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/harness.ts'
import { letter } from '../support/messages.ts'
import { apps, many } from '../support/people.ts'

const root = join(import.meta.dirname, '../..')

/** Returns the type of each documented field. */
function documentedFields(): ReadonlyMap<string, string> {
  const table = readFileSync(join(root, 'docs/logs.md'), 'utf8').split('## Fields')[1]!
  return new Map(
    [...table.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|/gm)].flatMap(([, names, types]) => {
      const listed = types!.split(', ')
      return [...names!.matchAll(/`(\w+)`/g)].map(([, name], i): [string, string] => [name!, listed[i] ?? listed[0]!])
    }),
  )
}

const fields = documentedFields()
/** What a call adds by `...`: each member is documented too. */
const spreads: Readonly<Record<string, readonly string[]>> = {
  fields: ['workspace_id', 'webhook_id', 'webhook'],
  line: ['request_id', 'method', 'route', 'ms', 'status', 'workspace_id', 'actor'],
}

type LogCall = { readonly path: string; readonly fields: readonly string[] }

/** Returns the fields of every call that writes to the log, or makes a child of it. */
function callsIn(files: Readonly<Record<string, string>>): LogCall[] {
  return treeOf(files, []).files.flatMap(({ path, code }) =>
    [...code.matchAll(/\blog\.(?:trace|debug|info|warn|error|fatal|child)\(\s*\{/g)].map(({ index, 0: head }) => ({
      path,
      fields: membersAt(code, index + head.length),
    })),
  )
}

/** Returns the names of the members of an object literal whose brace is before `from`. */
function membersAt(code: string, from: number): string[] {
  let depth = 0
  let at = from
  const parts: string[] = []
  for (let start = from; depth >= 0; at++) {
    const character = code[at]!
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    if (depth < 0 || (depth === 0 && character === ',')) {
      parts.push(code.slice(start, at).trim())
      start = at + 1
    }
  }
  return parts.flatMap((part) => {
    const spread = /^\.\.\.(\w+)$/.exec(part)?.[1]
    if (spread !== undefined) return spreads[spread] ?? [`...${spread}`]
    return part === '' ? [] : [/^(\w+)(?=\s*[:?]|$)/.exec(part)?.[1] ?? part]
  })
}

test('every field that the code gives to the log is in docs/logs.md, and no other', () => {
  const paths = globSync('{src,cli}/**/*.ts', { cwd: root })
  const calls = callsIn(Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])))
  assert.ok(calls.length > 40, `${calls.length} calls are found`)
  const unknown = calls.flatMap(({ path, fields: own }) =>
    own.filter((name) => !fields.has(name)).map((name) => `${path}: ${name}`),
  )
  assert.deepEqual(unknown, [])
  // What every line can have is added by the log itself.
  const used = new Set(['level', 'time', 'msg', 'trace_id', 'span_id', ...calls.flatMap(({ fields: own }) => own)])
  assert.deepEqual(
    [...fields.keys()].filter((name) => !used.has(name)),
    [],
  )
})

test('the names of fields are snake_case', () => {
  for (const name of fields.keys()) assert.match(name, /^[a-z]+(?:_[a-z]+)*$/)
})

test('a call with another field is found, also over several lines and with a spread', () => {
  const source = `
    log.warn({ err: error, ...why, secret_thing: f({ a: 1 }, [2]) }, 'one { b: 2 }')
    services.log.error(
      { request_id, other },
      'two',
    )
    log.info('three')`
  assert.deepEqual(callsIn({ 'src/x.ts': source }), [
    { path: 'src/x.ts', fields: ['err', '...why', 'secret_thing'] },
    { path: 'src/x.ts', fields: ['request_id', 'other'] },
  ])
})

type Line = Readonly<Record<string, unknown>>

test('the lines of a server have documented fields of the documented types, from its start to its stop', async () => {
  const lines: Line[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  const log = pino({ level: 'debug', base: null }, { write })
  const away = await startMailServer()
  await away.close()
  {
    await using service = await startService({
      env: { SMTP_URL: away.url },
      log,
      workspace: { apps: Object.values(apps) },
    })
    const ids = many(7, (i) => `p${i}`)
    const attributes = ids.map((external_id) => ({ external_id, email: `${external_id}@example.com` }))
    assert.equal((await service.post('/users/track', { attributes })).status, 201)
    const sent = await service.post(
      '/messages/send',
      letter({ external_user_ids: ids, recipient_subscription_state: 'all' }),
    )
    assert.equal(sent.status, 201, sent.text)
    const statuses = [
      (await service.post('/users/track', '{')).status,
      (await service.get('/no-such-path')).status,
      (await service.get('/admin/keys', { key: 'wrong' })).status,
      (await service.get('/health', { key: null })).status,
      (await service.admin('GET', '/admin/keys')).status,
    ]
    assert.deepEqual(statuses, [400, 404, 401, 200, 200])
    await eventually('the mail server is in the log', () => lines.some(({ server }) => server !== undefined))
  }
  assert.ok(lines.some(({ because }) => because !== undefined))
  assert.ok(lines.some(({ refused }) => refused !== undefined))
  for (const line of lines) {
    for (const [name, value] of Object.entries(line)) {
      const type = fields.get(name)
      assert.ok(type, `${name} is documented: ${JSON.stringify(line)}`)
      const own = Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value
      assert.equal(own, type, `${name}: ${JSON.stringify(line)}`)
    }
  }
})
