import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { configSections } from '../../src/config-sections.ts'
import { checkFile, type WorkspaceFile } from '../../src/workspace/file/check-file.ts'
import { parseFile } from '../../src/workspace/file/parse.ts'
import { mistakesToFailure } from '../../src/workspace/settings/mistake.ts'
import { SettingsShape } from '../../src/workspace/settings/settings.ts'

const full = `
workspace: {id: shop, name: Shop}
settings:
  time_zone: Europe/Paris
  event_retention: P400D
  rate_limits:
    track: {per_hour: 1000, burst_per_second: 20}
    export_ids: unlimited
  reserved_external_ids: [test-user]
  scim: {status: string}
  bcc: null
apps:
  - {name: Web, platform: web}
api_keys:
  - name: Loader
    key: a-secret-of-ours
    permissions: [users.track]
    allowed_ips: [10.0.0.0/8, "::1"]
subscription_groups:
  - {id: 0ab3b2c1, name: News, channel: email}
`

/** Parses a text. Throws the mistakes in its shape, as a plan does. */
function parsed(text: string): WorkspaceFile {
  return requireNoMistakes(parseFile(text, 'shop.yaml', configSections))
}

function requireNoMistakes(file: WorkspaceFile): WorkspaceFile {
  if (file.mistakes.length > 0) throw mistakesToFailure(file.source, file.mistakes, file.locate)
  return file
}

function entriesOf(file: WorkspaceFile, section: string) {
  return file.entries.get(section)!.map(({ entry }) => entry)
}

/** Returns the lines of the refusal of a text. */
function mistakesIn(text: string): string[] {
  return refusalOf(() => parsed(text)).details.errors!.map((error) => {
    const { line, column, path, message } = error as { line: number; column: number; path: string; message: string }
    return `${line}:${column} ${path} ${message}`
  })
}

function refusalOf(work: () => unknown): Failure {
  let refusal: unknown
  assert.throws(work, (error) => {
    refusal = error
    return error instanceof Failure && error.kind === 'invalid'
  })
  return refusal as Failure
}

test('a file with every member is parsed', () => {
  const file = parsed(full)
  assert.deepEqual(file.head, { id: 'shop', name: 'Shop' })
  assert.equal(file.settings.time_zone, 'Europe/Paris')
  assert.deepEqual(file.unset, ['bcc'])
  assert.deepEqual(entriesOf(file, 'apps'), [{ name: 'Web', platform: 'web' }])
  assert.equal(entriesOf(file, 'api_keys')[0]!.key, 'a-secret-of-ours')
})

test('JSON is accepted as well as YAML, also with tabs', () => {
  const file = parsed('{\n\t"apps": [\n\t\t{"name": "Web", "platform": "web"}\n\t]\n}')
  assert.deepEqual(entriesOf(file, 'apps'), [{ name: 'Web', platform: 'web' }])
})

test('an empty file and empty sections change nothing', () => {
  for (const text of ['', '# only a comment', 'apps:\nsettings:\n', '{}']) {
    const file = parsed(text)
    assert.equal(file.head, undefined)
    assert.deepEqual(file.settings, {})
    assert.deepEqual([...file.entries.values()].flat(), [])
  }
})

test('a mistake has file, line, column, path and what is accepted', () => {
  const refusal = refusalOf(() => parsed('apps:\n  - name: Web\n    platform: fax\n'))
  assert.equal(
    refusal.message,
    'shop.yaml:3:5: apps[0].platform must be android, ios, web, email, sms, server or other, not "fax"',
  )
})

test('all mistakes of a file are reported at once', () => {
  const refusal = refusalOf(() => parsed('colour: red\napps:\n  - name: Web\nsettings:\n  time_zone: Mars/Base\n'))
  assert.match(
    refusal.message,
    /^shop.yaml:1:1: colour is not known here; known are workspace, settings, apps, .* \(and 2 more\)$/,
  )
  assert.equal(refusal.details.errors!.length, 3)
})

for (const [text, expected] of [
  ['settings: {tiem_zone: UTC}', '1:12 settings.tiem_zone is not known here; known are time_zone, '],
  ['settings: {tiem_zone: null}', '1:12 settings.tiem_zone is not known here; known are time_zone, '],
  ['settings: {time_zone: "+02:00"}', '1:12 settings.time_zone must be a time zone such as Europe/Paris, not "+02:00"'],
  ['settings: {event_retention: P30D}', '1:12 settings.event_retention must be a length of time from 90 days'],
  ['settings: {event_retention: 2 years}', '1:12 settings.event_retention must be a length of time from 90 days'],
  ['settings: {event_retention: P999Y}', '1:12 settings.event_retention must be a length of time from 90 days'],
  ['settings: {rate_limits: {trak: unlimited}}', '1:26 settings.rate_limits.trak is not known here; known are track, '],
  [
    'settings: {rate_limits: {track: {per_hour: 0}}}',
    '1:26 settings.rate_limits.track must be unlimited, or numbers for',
  ],
  ['settings: {rate_limits: {track: {}}}', '1:26 settings.rate_limits.track must be unlimited, or numbers for'],
  ['settings: {export_all_fields: "yes"}', '1:12 settings.export_all_fields must be true or false, not "yes"'],
  ['settings: {bcc: [someone]}', '1:18 settings.bcc[0] must be an e-mail address, not "someone"'],
  [
    `settings: {reserved_external_ids: [${'é'.repeat(494)}]}`,
    '1:36 settings.reserved_external_ids[0] must be an external_id of 1',
  ],
  ['apps: {}', '1:1 apps must be a list'],
  ['apps: [3]', '1:8 apps[0] must be an object with name and platform, not a number'],
  ['apps: [{platform: web}]', '1:8 apps[0].name is missing; it must be one line of 1 to 255'],
  ['apps: [{name: " Web", platform: web}]', '1:9 apps[0].name must be one line of 1 to 255'],
  ['apps: [{name: Web, platform: web, id: a b}]', '1:35 apps[0].id must be 1 to 64 letters'],
  ['apps: [{name: "a\\0b", platform: web}]', '1:9 apps[0].name must be text without NUL'],
  ['apps: [{name: "a\\ud800b", platform: web}]', '1:9 apps[0].name must be text without NUL'],
  [
    'subscription_groups: [{name: N, channel: push}]',
    '1:33 subscription_groups[0].channel must be email or sms, not "push"',
  ],
  ['api_keys: [{name: N, permissions: []}]', '1:22 api_keys[0].permissions must be a list of different permissions'],
  ['api_keys: [{name: N, permissions: [users.trak]}]', '1:36 api_keys[0].permissions[0] must be a permission such as'],
  [
    'api_keys: [{name: N, permissions: ["*"], allowed_ips: [10.0.0.0/33]}]',
    '1:56 api_keys[0].allowed_ips[0] must be an IP address',
  ],
  [
    'api_keys: [{name: N, permissions: ["*"], allowed_ips: ["010.1"]}]',
    '1:56 api_keys[0].allowed_ips[0] must be an IP address',
  ],
  ['workspace: {}', '1:1 workspace must be an object with id, name or both, not this object'],
  ['workspace: Shop', '1:1 workspace must be an object with id, name or both, not a string'],
  ['- apps', '1:1  must be an object of members such as settings or apps'],
  ['__proto__: {a: 1}', '1:1 __proto__ is not known here'],
  ['apps: [*web]', '1:8 apps[0] names an anchor that is not there: *web'],
] as const) {
  test(`refused: ${text.slice(0, 80)}`, () => {
    const [first = ''] = mistakesIn(text)
    assert.equal(first.slice(0, expected.length), expected)
  })
}

test('invalid YAML is refused with line and column', () => {
  assert.match(refusalOf(() => parsed('apps:\n  - {name: Web\n')).message, /^shop.yaml:\d:\d: the file is not YAML: /)
  assert.match(
    refusalOf(() => parsed('apps: []\napps: []\n')).message,
    /^shop.yaml:2:1: the file is not YAML: Map keys must be unique/,
  )
})

test('the text of a key is never repeated in a mistake', () => {
  for (const text of [
    'api_keys: [{name: N, permissions: ["*"], key: "s3cr3t"}]',
    'api_keys: [s3cr3t]',
    'api_keys: [[s3cr3t]]',
  ]) {
    assert.doesNotMatch(JSON.stringify(mistakesIn(text)), /s3cr3t/)
  }
})

test('anchors are resolved, and refused when they contain themselves or multiply', () => {
  const file = parsed('apps: [&web {name: Web, platform: web}]\nsubscription_groups: []\n')
  assert.equal(file.entries.get('apps')!.length, 1)
  assert.deepEqual(parsed('settings: {departments: &d [a], bcc: []}\n').settings.departments, ['a'])
  assert.match(mistakesIn('apps: &a [*a]')[0]!, /is too much/)
  const bomb = `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${[1, 2, 3, 4, 5, 6].map((i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`).join('\n')}`
  assert.match(mistakesIn(bomb)[0]!, /is too much/)
})

test('a file larger than four megabytes is refused', () => {
  assert.match(refusalOf(() => parsed(`# ${'x'.repeat(4 * 1024 * 1024)}`)).message, /must be at most 4194304 bytes/)
})

test('a request body is checked like a file, without line numbers', () => {
  const body = { apps: [{ name: 'Web' }] }
  const refusal = refusalOf(() => requireNoMistakes(checkFile(body, '', () => undefined, configSections)))
  assert.equal(
    refusal.message,
    'apps[0].platform is missing; it must be android, ios, web, email, sms, server or other',
  )
})

test('every example of docs/workspace-file.md is valid', () => {
  const page = readFileSync(new URL('../../docs/workspace-file.md', import.meta.url), 'utf8')
  const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map((match) => match[1]!)
  assert.ok(examples.length >= 6)
  for (const example of examples) parsed(example)
})

test('docs/workspace-file.md has every setting', () => {
  const page = readFileSync(new URL('../../docs/workspace-file.md', import.meta.url), 'utf8')
  const missing = Object.keys(SettingsShape.properties).filter((name) => !page.includes(`\n| \`${name}\` |`))
  assert.deepEqual(missing, [])
})
