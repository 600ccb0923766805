import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { startEmulatorProcess } from '../../client/src/testing/emulator-process.ts'
import { easel } from '../support/command-line.ts'
import { emulatorCommand } from '../support/emulators.ts'
import { exchange } from '../support/http-requests.ts'

const folder = mkdtempSync(join(tmpdir(), 'easel-seed-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const shop = `segments:
  - id: gold
    name: Gold members
    audience:
      custom_attribute:
        custom_attribute_name: plan
        comparison: equals
        value: gold
`
/** Lines of people: attributes objects, and a request with an event. */
const people = [
  ...Array.from({ length: 120 }, (_, i) => ({ external_id: `p${i}`, plan: i % 2 === 0 ? 'gold' : 'silver' })),
  { events: [{ external_id: 'p0', name: 'order_placed', time: new Date().toISOString() }] },
]
const lines = `${people.map((each) => JSON.stringify(each)).join('\n')}\n`

/** Starts an emulator, and returns a function that asks it. */
async function start(seed: readonly string[], workspaces?: readonly string[]) {
  // An emulator sends nothing, whatever the machine has set for a server.
  const servers = ['SMTP_URL=smtp://127.0.0.1:9', 'SMS_URL=http://AC1:pw@127.0.0.1:9']
  // With these alone no other start succeeds.
  const pushes = ['WEB_PUSH_CONTACT=mailto:shop@example.com', 'FCM_SERVICE_ACCOUNT_FILE=/nowhere']
  const command = ['env', ...servers, ...pushes, ...emulatorCommand]
  const { line, stop } = await startEmulatorProcess({ seed, workspaces, command, startMs: 600_000 })
  const port = Number(new URL(line.url).port)
  const ask = async (method: string, path: string, body: object | undefined, key: string) => {
    const answer = await exchange(port, method, path, body, { key })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  return { line, ask, [Symbol.asyncDispose]: stop }
}

test('what --seed names is there at the beginning, and after each reset', async () => {
  const seed = [file('shop.yaml', shop), file('people.jsonl', lines)]
  await using emulator = await start(seed)
  const { api_key, admin_token } = emulator.line
  const look = async () => {
    const { count } = await emulator.ask(
      'POST',
      '/admin/audience/count',
      { exact: true, audience: { segment: { segment_id: 'gold' } } },
      admin_token,
    )
    const asked = { external_ids: ['p0', 'p119', 'later'], fields_to_export: ['external_id', 'custom_events'] }
    const { users } = await emulator.ask('POST', '/users/export/ids', asked, api_key)
    return { count, users }
  }
  const { delivery } = await emulator.ask('GET', '/admin/inbox', undefined, admin_token)
  assert.equal(delivery, 'Mail is kept here and goes to nobody, because no mail server is configured.')
  const beginning = await look()
  assert.equal(beginning.count, 60)
  assert.deepEqual(
    beginning.users.map((user: { external_id: string; custom_events?: { name: string; count: number }[] }) => [
      user.external_id,
      user.custom_events?.map(({ name, count }) => `${name} ${count}`),
    ]),
    [
      ['p0', ['order_placed 1']],
      ['p119', undefined],
    ],
  )
  await emulator.ask('POST', '/users/track', { attributes: [{ external_id: 'later', plan: 'gold' }] }, api_key)
  assert.equal((await look()).count, 61)
  await emulator.ask('POST', '/emulator/reset', {}, admin_token)
  assert.deepEqual(await look(), beginning)
})

test('each --workspace has a key of its own, and people that no other one sees', async () => {
  await using emulator = await start([], ['shop', 'blog'])
  const { workspaces } = emulator.line
  assert.deepEqual(
    workspaces.map(({ id }) => id),
    ['shop', 'blog'],
  )
  const [ofShop, ofBlog] = workspaces.map(({ api_key }) => api_key) as [string, string]
  await emulator.ask('POST', '/users/track', { attributes: [{ external_id: 'ada' }] }, ofShop)
  const asked = { external_ids: ['ada'], fields_to_export: ['external_id'] }
  assert.equal((await emulator.ask('POST', '/users/export/ids', asked, ofShop)).users.length, 1)
  for (const key of [ofBlog, emulator.line.api_key]) {
    assert.equal((await emulator.ask('POST', '/users/export/ids', asked, key)).users.length, 0)
  }
  await emulator.ask('POST', '/emulator/reset', {}, emulator.line.admin_token)
  assert.equal((await emulator.ask('POST', '/users/export/ids', asked, ofShop)).users.length, 0)
})

const refused: readonly [title: string, args: () => string[], words: RegExp][] = [
  ['a seed of another kind', () => ['--seed', file('people.csv', 'a,b')], /people\.csv must be a workspace file/],
  ['a seed that is not there', () => ['--seed', join(folder, 'none.yaml')], /none\.yaml/],
  [
    'a line that is not JSON',
    () => ['--seed', file('a.jsonl', '{"external_id":"a"}\nx\n')],
    /a\.jsonl:2: the line must/,
  ],
  ['a line that is a list', () => ['--seed', file('b.jsonl', '[]\n')], /b\.jsonl:1: the line must be a JSON object/],
  [
    'a person that track refuses',
    () => ['--seed', file('c.jsonl', '{"external_id":"a"}\n{"first_name":"Ada"}\n')],
    /c\.jsonl:2: 'external_id'/,
  ],
  [
    'a request of which track refuses an object',
    () => ['--seed', file('e.jsonl', '{"events":[{"external_id":"a","name":"b"}]}')],
    /e\.jsonl:1: events\[0\]: 'time'/,
  ],
  [
    'a workspace file with a mistake',
    () => ['--seed', file('d.yaml', shop.replace('equals', 'resembles'))],
    /d\.yaml[\s\S]*comparison/,
  ],
  ['a workspace id with a blank', () => ['--workspace', 'a b'], /id/],
  ['a port that is none', () => ['--port', '65536'], /It must be a number from 1 to 65535/],
  ['an empty seed of chance', () => ['--deterministic', ''], /It must have 1 to 200 characters/],
  ['a long seed of chance', () => ['--deterministic', 'x'.repeat(201)], /It must have 1 to 200 characters/],
]

for (const [title, args, words] of refused) {
  test(`${title} is refused with a sentence, and no emulator is left running`, async () => {
    const { code, out, err } = await easel(['emulator', ...args()], {})
    assert.notEqual(code, 0)
    assert.equal(out, '')
    assert.match(err, words)
    assert.doesNotMatch(err, /\n {4}at /)
  })
}
