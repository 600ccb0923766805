import assert from 'node:assert/strict'
import test from 'node:test'
import { hashKey } from '../../src/accounts/keys/config-section.ts'
import { configSections } from '../../src/config-sections.ts'
import { checkFile } from '../../src/workspace/file/check-file.ts'
import type { ConfigEntry } from '../../src/workspace/file/config-section.ts'
import { type CurrentConfig, type Plan, plan } from '../../src/workspace/file/plan.ts'
import { groupsMax } from '../../src/workspace/settings/schema.ts'

type Stored = { settings?: object; apps?: object[]; api_keys?: object[]; subscription_groups?: object[] }

const nothing: CurrentConfig = { settings: {}, entries: new Map() }

function stored({ settings = {}, ...entries }: Stored): CurrentConfig {
  return {
    workspace: { id: 'default', name: 'Default' },
    settings,
    entries: new Map(Object.entries(entries as Record<string, ConfigEntry[]>)),
  }
}

function planned(current: CurrentConfig, file: object): Plan {
  let made = 0
  return plan(
    configSections,
    current,
    checkFile(file, '', () => undefined, configSections),
    () => `new ${++made}`,
  )
}

/** Writes a plan as lines like `create apps Web`, one for each change. */
function lines({ changes }: Plan): string[] {
  return changes.map(({ action, member, name }) => `${action} ${member} ${name}`)
}

function mistakes(plan: Plan): string[] {
  return plan.mistakes.map(({ path, message }) => `${path} ${message}`)
}

const web = { id: 'a1', name: 'Web', platform: 'web' }
const news = { id: 'g1', name: 'News', channel: 'email', archived: false }
const offers = { id: 'g2', name: 'Offers', channel: 'email', archived: false }
const loader = {
  id: 'k1',
  name: 'Loader',
  permissions: ['users.track'],
  allowed_ips: [],
  strict: false,
  ...hashKey('a-secret-of-ours'),
}

test('a file for a new workspace creates everything', () => {
  const made = planned(nothing, {
    workspace: { id: 'shop', name: 'Shop' },
    settings: { time_zone: 'Europe/Paris' },
    apps: [{ name: 'Web', platform: 'web' }],
    subscription_groups: [{ name: 'News', channel: 'email' }],
  })
  assert.deepEqual(lines(made), [
    'create workspace Shop',
    'create settings time_zone',
    'create apps Web',
    'create subscription_groups News',
  ])
  assert.deepEqual(made.head, { id: 'shop', name: 'Shop' })
  assert.deepEqual(made.changes[3], {
    member: 'subscription_groups',
    id: 'new 2',
    name: 'News',
    action: 'create',
    before: null,
    after: { id: 'new 2', name: 'News', channel: 'email', archived: false },
  })
})

test('a workspace without a name has its id as name', () => {
  assert.deepEqual(planned(nothing, { workspace: { id: 'shop' } }).head, { id: 'shop', name: 'shop' })
})

test('a file that says what is stored changes nothing', () => {
  const current = stored({
    settings: { time_zone: 'UTC' },
    apps: [web],
    api_keys: [loader],
    subscription_groups: [news],
  })
  const same = {
    workspace: { id: 'default', name: 'Default' },
    settings: { time_zone: 'UTC' },
    apps: [{ platform: 'web', name: 'Web' }],
    api_keys: [{ name: 'Loader', key: 'a-secret-of-ours', permissions: ['users.track'] }],
    subscription_groups: [{ id: 'g1', name: 'News', channel: 'email' }],
  }
  assert.deepEqual(planned(current, same).changes, [])
})

test('entries that the file leaves out stay', () => {
  const current = stored({ settings: { time_zone: 'Europe/Paris' }, apps: [web], subscription_groups: [news] })
  const { changes, settings } = planned(current, { settings: { export_all_fields: true } })
  assert.equal(changes.length, 1)
  assert.deepEqual(settings, { time_zone: 'Europe/Paris', export_all_fields: true })
})

test('a setting that is null goes back to its default', () => {
  const { changes, settings } = planned(stored({ settings: { time_zone: 'Europe/Paris' } }), {
    settings: { time_zone: null, bcc: null },
  })
  assert.deepEqual(settings, {})
  assert.deepEqual(changes, [
    { member: 'settings', id: 'default', name: 'time_zone', action: 'update', before: 'Europe/Paris', after: null },
  ])
})

test('an entry is found by its id and gets the name in the file', () => {
  const renamed = planned(stored({ apps: [web] }), { apps: [{ id: 'a1', name: 'Shop', platform: 'ios' }] })
  assert.deepEqual(lines(renamed), ['update apps Shop'])
  assert.deepEqual(renamed.steps[0]!.update, [{ id: 'a1', name: 'Shop', platform: 'ios' }])
})

test('two groups may swap their names, and a new group may have a name that becomes free', () => {
  const current = stored({ subscription_groups: [news, offers] })
  const swapped = planned(current, {
    subscription_groups: [
      { ...news, name: 'Offers' },
      { ...offers, name: 'Old offers' },
      { name: 'News', channel: 'sms' },
    ],
  })
  assert.deepEqual(swapped.mistakes, [])
  assert.deepEqual(lines(swapped), [
    'update subscription_groups Offers',
    'update subscription_groups Old offers',
    'create subscription_groups News',
  ])
})

test('names and ids are unique in a workspace', () => {
  const current = stored({ subscription_groups: [news] })
  assert.deepEqual(
    mistakes(planned(current, { subscription_groups: [{ id: 'g9', name: 'News', channel: 'email' }] })),
    ['subscription_groups[0].name is taken: id g1 has it'],
  )
  const twice = { subscription_groups: [offers, { ...offers, name: 'Others' }] }
  assert.deepEqual(mistakes(planned(current, twice)), ['subscription_groups[1] is the same as subscription_groups[0]'])
  const twins = { apps: [web, { name: 'Web', platform: 'ios' }] }
  assert.deepEqual(mistakes(planned(stored({}), twins)), ['apps[1].name is taken: apps[0] has it'])
})

test('the channel of a group cannot change', () => {
  const [mistake] = mistakes(
    planned(stored({ subscription_groups: [news] }), { subscription_groups: [{ ...news, channel: 'sms' }] }),
  )
  assert.match(mistake!, /^subscription_groups\[0\].channel cannot be changed from email: /)
})

test('a group stays archived when the file does not say whether it is', () => {
  const current = stored({ subscription_groups: [{ ...news, archived: true }] })
  assert.deepEqual(planned(current, { subscription_groups: [{ name: 'News', channel: 'email' }] }).changes, [])
  const back = planned(current, { subscription_groups: [{ name: 'News', channel: 'email', archived: false }] })
  assert.deepEqual(lines(back), ['update subscription_groups News'])
})

test('450 groups are allowed, one more is not, and archived ones do not count', () => {
  const groups = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `Group ${i}`, channel: 'email' }))
  assert.deepEqual(mistakes(planned(stored({}), { subscription_groups: groups(groupsMax) })), [])
  assert.deepEqual(mistakes(planned(stored({}), { subscription_groups: groups(groupsMax + 1) })), [
    'subscription_groups would be 451 in this workspace; at most 450 are allowed',
  ])
  const current = stored({ subscription_groups: [{ ...news, archived: true }] })
  assert.deepEqual(mistakes(planned(current, { subscription_groups: groups(groupsMax) })), [])
})

test('a key cannot be changed: other permissions, addresses, names, texts and strictness are refused', () => {
  const current = stored({ api_keys: [loader] })
  for (const [path, change] of [
    ['permissions', { permissions: ['users.track', 'users.delete'] }],
    ['allowed_ips', { allowed_ips: ['10.0.0.1'] }],
    ['strict', { strict: true }],
    ['key', { key: 'another-secret' }],
    ['name', { id: 'k1', name: 'Importer' }],
  ] as const) {
    const [mistake] = mistakes(
      planned(current, { api_keys: [{ name: 'Loader', permissions: ['users.track'], ...change }] }),
    )
    assert.match(
      mistake!,
      new RegExp(`^api_keys\\[0\\].${path} differs from key "Loader", and a key cannot be changed: .*keys delete k1`),
    )
  }
})

test('a plan shows neither the text nor the hash of a key', () => {
  const made = planned(stored({}), {
    api_keys: [{ name: 'Loader', key: 'a-secret-of-ours', permissions: ['users.track'] }],
  })
  assert.deepEqual(made.changes[0]!.after, {
    id: 'new 1',
    name: 'Loader',
    permissions: ['users.track'],
    allowed_ips: [],
    strict: false,
  })
  assert.doesNotMatch(JSON.stringify(made.changes), /a-secret-of-ours|hash/)
})

test('the default department is one of the departments', () => {
  assert.deepEqual(mistakes(planned(stored({}), { settings: { default_department: 'toys' } })), [
    'settings.default_department must be one of departments: agency, bi, c_suite, engineering, finance, marketing, pm',
  ])
  assert.deepEqual(
    mistakes(planned(stored({}), { settings: { departments: ['toys'], default_department: 'toys' } })),
    [],
  )
})

test('mistakes of all sections are reported together, and one mistake causes no second one', () => {
  const made = planned(nothing, {
    settings: { time_zone: 'Mars/Base', bcc: ['x@example.com'] },
    apps: [{ id: 'web', name: 'Web' }, web],
    segments: [{ id: 'gold', name: 'Gold', audience: 5 }],
    canvases: [
      { id: 'c', name: 'C', first: 's', steps: [{ id: 's', type: 'decision', audience: { segment_id: 'gold' } }] },
      { id: 'd', name: 'D', first: 's', steps: [{ id: 's', type: 'decision', audience: { segment_id: 'none' } }] },
    ],
    roles: [{ nam: 'x' }],
  })
  const found = mistakes(made)
  for (const path of ['settings.time_zone ', 'apps[0].platform ', 'segments[0].audience ', 'roles[0].nam '])
    assert.ok(
      found.some((mistake) => mistake.startsWith(path)),
      `${path}: ${found.join('\n')}`,
    )
  assert.deepEqual(
    found
      .filter((mistake) => /^canvases/.test(mistake) && /gold|none/.test(mistake))
      .map((mistake) => mistake.slice(0, 11)),
    ['canvases[1]'],
    found.join('\n'),
  )
})
