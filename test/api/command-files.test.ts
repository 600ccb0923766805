import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { easel, folderWith, keysOf } from '../support/command-line.ts'
import { drawDatabases, startService } from '../support/harness.ts'
import { everyField } from '../support/people.ts'
import { type Line, linesOf, peopleIn, populate, recordOf, textOf, workspace } from '../support/people-lines.ts'

for (const database of drawDatabases('command-files')) {
  describe(`easel import of records that Easel did not export (${database})`, () => {
    test('records that another installation returned become people, with every value that Easel has a field for', async () => {
      using folder = folderWith()
      await using service = await startService({ database, workspace })
      await using other = await startService({
        database,
        workspace: { ...workspace, apps: workspace.apps.slice(0, 1) },
      })
      await populate(service)
      const asked = { external_ids: ['ann', 'bob'], fields_to_export: everyField }
      const { body } = await service.post('/users/export/ids', asked)
      const foreign = { ...foreignRecord, custom_attributes: { ...foreignRecord.custom_attributes } }
      writeFileSync(folder.path('answer.json'), JSON.stringify({ ...body, users: [...body.users, foreign] }, null, 2))
      const args = ['import', folder.path('answer.json')]
      const planned = await easel([...args, '--plan'], keysOf(other))
      assert.match(planned.err, /^3 people would be imported, 0 exist already, 0 lines skipped\.\n/)
      const imported = await easel(args, keysOf(other))
      assert.equal(imported.code, 0, imported.err)
      assert.match(
        imported.err,
        /^3 people imported, 0 exist already, 0 lines skipped\.\nNot imported, because they exist only /,
      )
      assert.match(imported.err, /: apps 1, campaigns_received 1, custom_events 1, push_tokens 1\.\n$/)
      assert.match((await easel(args, keysOf(other))).err, /^0 people imported, 3 exist already/)
      for (const id of ['ann', 'bob']) {
        const {
          custom_events: _,
          purchases: __,
          push_tokens: tokens = [],
          ...there
        } = await recordOf(service, { external_ids: [id] })
        const { push_tokens: kept = [], ...here } = await recordOf(other, { external_ids: [id] })
        assert.deepEqual(here, there)
        assert.deepEqual(
          kept,
          tokens.filter(({ app }: Line) => app === 'Phone app'),
        )
      }
      assert.deepEqual(await recordOf(other, { external_ids: ['77'] }), foreignKept)

      const lines = [
        foreign,
        { users: [{ external_id: 'x', email: 'no address' }, { first_name: 'Nobody' }] },
        [{ email: 'e@example.com' }],
        7,
      ]
      writeFileSync(folder.path('lines.jsonl'), textOf(lines))
      const ran = await easel(['import', folder.path('lines.jsonl')], keysOf(other))
      assert.equal(ran.code, 1)
      assert.match(
        ran.err,
        /line 2: The value provided for the 'email' field is not a valid email\.\nline 4: is not a JSON object\n/,
      )
      assert.match(ran.err, /line 2: has no identifier\n1 people imported, 1 exist already, 3 lines skipped\.\n/)
    })

    test('a CSV file changes people; each column goes to the field that it is mapped to', async () => {
      using folder = folderWith()
      await using service = await startService({ database, workspace })
      const rows = [
        '\ufeffId,E-mail,"Plan, now",visits,vip,since,group.0b6e0a1c-4d5e-4c2f-9a51-1f2d3c4b5a69,secret',
        'c-1,One@Example.com,"gold ""plus""\nor more",12,TRUE,2024-01-02,unsubscribed,x',
        'c-2,no address,,,,,,',
        'c-3,three@example.com',
        'c-4,,silver,007,no,,,y',
        '"c-5"x,,,,,,,',
        'c-6,six@example.com,,1.5,,,,',
      ]
      writeFileSync(folder.path('people.csv'), rows.join('\r\n'))
      const map = ['--map', '"Plan, now=custom.plan",Id=external_id', '--map', 'E-mail=email,secret=-']
      const args = ['import', folder.path('people.csv'), ...map]
      await service.post('/users/track', { attributes: [{ external_id: 'c-4', plan: 'bronze', kept: true }] })
      const planned = await easel([...args, '--plan'], keysOf(service))
      assert.deepEqual([planned.code, planned.err], [1, ''], planned.err)
      assert.equal(
        planned.out,
        [
          '  Id                                          external_id                                 "c-1" "c-2" "c-4"',
          `  E-mail                                      ${'email'.padEnd(42)}  "One@Example.com" "no address" "six@example.com"`,
          '  Plan, now                                   custom.plan                                 "gold \\"plus\\"\\nor more" "silver"',
          '  visits                                      custom.visits                               "12" "007" "1.5"',
          '  vip                                         custom.vip                                  "TRUE" "no"',
          '  since                                       custom.since                                "2024-01-02"',
          '  group.0b6e0a1c-4d5e-4c2f-9a51-1f2d3c4b5a69  group.0b6e0a1c-4d5e-4c2f-9a51-1f2d3c4b5a69  "unsubscribed"',
          '  secret                                      ignored                                     "x" "y"',
          '6 rows.',
          'Of 4 external_ids from the 6 lines, 3 are new and 1 exist already.',
          '3 lines would be refused, as far as this is known without the server:',
          '  1  has 2 fields where the first line has 8 (line 5)',
          '  1  has text between a closing quote and the next delimiter (line 7)',
          "  1  The value provided for the 'email' field is not a valid email. (line 4)",
          'At 100,000 lines a minute the import takes less than a minute.',
          '',
        ].join('\n'),
      )
      assert.equal(peopleIn(await linesOf(service)).length, 1)
      const ran = await easel(args, keysOf(service))
      assert.equal(ran.code, 1)
      assert.equal(
        ran.err,
        [
          'Columns: "Id" -> external_id, "E-mail" -> email, "Plan, now" -> custom.plan, "visits" -> custom.visits, "vip" -> custom.vip, ' +
            '"since" -> custom.since, "group.0b6e0a1c-4d5e-4c2f-9a51-1f2d3c4b5a69" -> group.0b6e0a1c-4d5e-4c2f-9a51-1f2d3c4b5a69, ' +
            '"secret" -> ignored',
          "line 4: The value provided for the 'email' field is not a valid email.",
          'line 5: has 2 fields where the first line has 8',
          'line 7: has text between a closing quote and the next delimiter',
          '3 of 6 objects imported, 3 refused.',
          `The refused lines are in ${folder.path('people.refused.csv')}: correct them and import that file.`,
          '',
        ].join('\n'),
      )
      const custom = async (id: string) => (await recordOf(service, { external_ids: [id] })).custom_attributes
      assert.deepEqual(await custom('c-1'), {
        plan: 'gold "plus"\nor more',
        visits: 12,
        vip: true,
        since: '2024-01-02',
      })
      assert.deepEqual(await custom('c-4'), { plan: 'silver', visits: '007', vip: 'no', kept: true })
      assert.equal((await easel([...args, '--text', '--from', '8'], keysOf(service))).code, 0)
      assert.deepEqual(await custom('c-6'), { visits: '1.5' })
      const status = await service.get('/subscription/user/status?external_id=c-1')
      assert.equal(status.body.users[0].subscription_groups[0].status, 'Unsubscribed')
    })
  })
}

test('a table of a spreadsheet is read in its encoding, with its delimiter and headers, and written again', async () => {
  using folder = folderWith()
  await using service = await startService({ workspace })
  const sheet = (id: string) => `External ID;First Name;EMAIL;Größe;note\r\n${id};Zoë;${id}@example.com;12;"a;b"\r\n`
  const utf16 = Buffer.from(`\ufeff${sheet('u-16')}`, 'utf16le')
  const files: Readonly<Record<string, Buffer>> = {
    'u-8': Buffer.from(`\ufeff${sheet('u-8')}`),
    'u-16': utf16,
    'u-16be': Buffer.from(`\ufeff${sheet('u-16be')}`, 'utf16le').swap16(),
    'w-1252': Buffer.from(sheet('w-1252'), 'latin1'),
    tabs: Buffer.from(sheet('tabs').replaceAll('"a;b"', 'a|b').replaceAll(';', '\t')),
  }
  for (const [id, bytes] of Object.entries(files)) {
    writeFileSync(folder.path(`${id}.csv`), bytes)
    const encoding = id === 'w-1252' ? ['--encoding', 'windows-1252'] : []
    const ran = await easel(['import', folder.path(`${id}.csv`), ...encoding], keysOf(service))
    assert.equal(ran.code, 0, `${id}: ${ran.err}`)
    assert.match(
      ran.err,
      /^Columns: "External ID" -> external_id, "First Name" -> first_name, "EMAIL" -> email, "Größe" -> custom/,
    )
    const { first_name, email, custom_attributes } = await recordOf(service, { external_ids: [id] })
    assert.deepEqual([first_name, email, custom_attributes.Größe], ['Zoë', `${id}@example.com`, 12])
  }
  assert.equal((await easel(['import', 'x.csv', '--encoding', 'klingon'], keysOf(service))).code, 2)

  await service.post('/users/track', {
    attributes: [
      { external_id: 'list', Email: 'own', tags: ['x', 'y'], 'quoted "name"': '=1, 2\n3' },
      { user_alias: { alias_label: 'shop', alias_name: 'al' }, _update_existing_only: false, plan: 'gold' },
    ],
  })
  const file = folder.path('people.csv.gz')
  const exported = await easel(['export', file], keysOf(service))
  assert.deepEqual([exported.code, exported.err], [0, `7 people written to ${file}.\n`])
  assert.deepEqual(
    readdirSync(folder.path('.')).filter((name) => name.startsWith('people')),
    ['people.csv.gz'],
  )
  await using other = await startService({ workspace })
  const back = await easel(['import', file], keysOf(other))
  assert.deepEqual([back.code, /7 of 7 objects imported, 0 refused/.test(back.err)], [0, true], back.err)
  for (const who of [
    ...Object.keys(files).map((id) => ({ external_ids: [id] })),
    { user_aliases: [{ alias_label: 'shop', alias_name: 'al' }] },
  ]) {
    const names = ['first_name', 'email', 'custom_attributes', 'user_aliases'] as const
    const [here, there] = [await recordOf(other, who), await recordOf(service, who)]
    for (const name of names) assert.deepEqual(here[name], there[name], name)
  }
  const { custom_attributes: list } = await recordOf(other, { external_ids: ['list'] })
  assert.deepEqual(list, { Email: 'own', tags: '["x","y"]', 'quoted "name"': '=1, 2\n3' })
  const refused = await easel(['export', folder.path('x.csv'), '--ids', file], keysOf(service))
  assert.deepEqual([refused.code, refused.err], [2, '--ids writes lines of JSON: name the file .jsonl.\n'])
})

test('an invalid file or mapping is refused before anything is sent', async () => {
  using folder = folderWith({
    'open.json': '{"users": [\n{"external_id": "a"}\n',
    'people.csv': 'plan;colour\na;b\n',
    'plain.csv': 'a,b\n1,2\n',
    'old.jsonl': '{"easel":"people","version":2}\n{"person":"x"}\n',
    'track.jsonl': '{"attributes": {"external_id": "a"}}\nno json\n{"events": {}}\n',
  })
  writeFileSync(folder.path('latin.csv'), Buffer.from('external_id,name\n1,\xe9\n', 'latin1'))
  const env = { EASEL_API_KEY: 'k'.repeat(32), EASEL_DATA: 'memory', PORT: '1' }
  const refusals: readonly [readonly string[], number, RegExp][] = [
    [['open.json'], 2, /^the file begins like JSON, but neither/],
    [['people.csv'], 2, /^no column identifies a person: .*alias\.LABEL\n$/],
    [['plain.csv', '--map', 'c=email'], 2, /^--map: there is no column "c"; there are a, b\n/],
    [['plain.csv', '--map', 'a'], 2, /^--map takes HEADER=TARGET, not "a"\n/],
    [
      ['plain.csv', '--from', '0'],
      2,
      /^option '--from <line>' argument '0' is invalid\. It must be the number of a line\.\n/,
    ],
    [['latin.csv'], 1, /latin\.csv is not text in UTF-8; --encoding names another encoding, such as windows-1252\n$/],
    [['old.jsonl'], 1, /set EASEL_ADMIN_TOKEN/],
  ]
  const answers = await Promise.all(
    refusals.map(([[name, ...args]]) => easel(['import', folder.path(name!), ...args], env)),
  )
  for (const [i, [, code, text]] of refusals.entries()) {
    assert.match(answers[i]!.err, text)
    assert.equal(answers[i]!.code, code, answers[i]!.err)
  }
  const preview = await easel(['import', folder.path('track.jsonl'), '--plan'], env)
  assert.match(
    preview.out,
    /^attributes: 1\nevents: 1\npurchases: 0\nWhether .* not known: no server answers at .*\n2 lines would be refused/,
  )
  assert.match(
    preview.out,
    /\n {2}1 {2}is not a JSON object \(line 2\)\n {2}1 {2}.* \(line 3\)\nAt 100,000 lines a minute /,
  )
})

const foreignRecord = {
  created_at: '2020-06-17 20:01:33.385 UTC',
  external_id: 77,
  user_aliases: [{ alias_name: 'n', alias_label: 'l' }],
  service_id: '5eea769d45bb2e1467418f92',
  first_name: 'John',
  random_bucket: 5445,
  email: 'Example@Test.com',
  country: 'Germany',
  custom_attributes: { integer: 25, list: ['banana'], nothing: null },
  total_revenue: 1.5,
  push_subscribe: 'subscribed',
  email_subscribe: 'unsubscribed',
  email_unsubscribed_at: '2021-01-01T00:00:00.000Z',
  last_coordinates: [2.5, 48],
  apps: [
    {
      name: 'Phone app',
      platform: 'iOS',
      version: '1',
      sessions: '4',
      first_used: '2020-07-01',
      last_used: '2020-08-01',
    },
    { name: 'Unknown', sessions: 2, first_used: '2020-06-20' },
  ],
  devices: [{ device_id: 'device-77', model: 'X', ad_tracking_enabled: false }],
  push_tokens: [
    { app: 'Phone app', platform: 'iOS', token: 'tt', device_id: 'device-77', notifications_enabled: false },
  ],
  cards_clicked: [{ name: 'card' }],
  campaigns_received: [{ name: 'c' }],
  custom_events: [{ name: 'e', first: '2020-06-17', last: '2020-06-17', count: 2 }],
  uninstalled_at: '2020-09-01T00:00:00.000Z',
}

const foreignKept = {
  apps: [
    {
      name: 'Phone app',
      platform: 'ios',
      version: '1',
      sessions: 4,
      first_used: '2020-07-01T00:00:00.000Z',
      last_used: '2020-08-01T00:00:00.000Z',
    },
  ],
  cards_clicked: [{ name: 'card' }],
  country: 'DE',
  created_at: '2020-06-17T20:01:33.385Z',
  custom_attributes: { integer: 25, list: ['banana'] },
  devices: [{ model: 'X', device_id: 'device-77', ad_tracking_enabled: false }],
  email: 'example@test.com',
  email_subscribe: 'unsubscribed',
  email_unsubscribed_at: '2021-01-01T00:00:00.000Z',
  external_id: '77',
  first_name: 'John',
  last_coordinates: [2.5, 48],
  push_subscribe: 'subscribed',
  push_tokens: [
    { app: 'Phone app', platform: 'ios', token: 'tt', device_id: 'device-77', notifications_enabled: false },
  ],
  random_bucket: 5445,
  total_revenue: 1.5,
  uninstalled_at: '2020-09-01T00:00:00.000Z',
  user_aliases: [{ alias_name: 'n', alias_label: 'l' }],
}
