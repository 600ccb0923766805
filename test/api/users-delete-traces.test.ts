import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { temporaryFolder } from '../fault/folders.ts'
import { type Lent, lendDatabase } from '../servers/spare.ts'
import { newDevice, tell } from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { download, filesIn, segmentOf } from '../support/exports.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter } from '../support/messages.ts'
import {
  event,
  groups,
  type Item,
  many,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  People,
  purchase,
  workspace,
} from '../support/people.ts'
import { everyRow } from '../support/table-rows.ts'

/** Rows that tell other processes of a change, and are deleted after a minute. */
const passing = ['identity_change']
const pairCount = 20

for (const database of drawDatabases('users-delete-traces')) {
  describe(`traces of a deleted person (${database})`, () => {
    test('no row and no file has any identifier or value of the person, and other people keep theirs', async () => {
      const place = await lendDatabase(database)
      using folder = temporaryFolder()
      const secrets = new Set<string>()
      const word = (what: string): string => {
        const made = newId(`zq${what}zq`)
        secrets.add(made)
        return made
      }
      const other = { external_id: newId('other'), email: newEmail(), user_alias: newAlias() }
      const work = async (people: People) => {
        await people.set({ ...other, user_alias: undefined, first_name: 'Otto', n: 1 })
        await people.happen(event({ external_id: other.external_id }, { properties: { shop: 'north' } }))
        const person = await newPerson(people, word)
        const mergedProfile = await newPerson(people, word)
        const before = await Promise.all([person, mergedProfile].map(({ external_id }) => people.person(external_id)))
        await mention(people, person, mergedProfile, other)
        const renamed = word('renamed')
        await write(people, person, mergedProfile, renamed, word)
        const exported = await exportEverybody(people, person.external_id)
        assert.equal(
          (await people.merge({ external_id: mergedProfile.external_id }, { external_id: person.external_id })).outcome,
          'done',
        )
        await people.send('/users/external_ids/rename', {
          external_id_renames: [{ current_external_id: person.external_id, new_external_id: renamed }],
        })
        await people.happen(event({ external_id: person.external_id }, { properties: { later: word('later') } }))
        assert.equal(only(await people.delete({ external_ids: [person.external_id] })).outcome, 'done')
        await gone(people, other)
        await eventually('the export is written again', async () => (await exported()) === 1)
        for (const { phone } of [person, mergedProfile]) secrets.add(phone)
        return before.map(({ service_id }) => service_id!)
      }
      const ids = await serving(place, work, { EASEL_DATA: folder.path })
      for (const service_id of ids) secrets.add(BigInt(`0x${service_id.slice(0, 16)}`).toString()).add(service_id)
      const rows = await rowsOf(place)
      const traces = rows.flatMap(({ table, text }) => {
        const found = [...secrets].filter((secret) => contains(text, secret))
        return passing.includes(table) ? [] : found.map((secret) => `${secret} in ${table}: ${text}`)
      })
      assert.deepEqual(traces, [])
      const files = filesUnder(folder.path)
      assert.ok(files.some(({ text }) => text.includes('Otto')))
      for (const { name, text } of files)
        for (const secret of secrets) assert.ok(!contains(text, secret), `${secret} in ${name}`)
      assert.ok(rows.some(({ table, text }) => table === 'profile' && text.includes('Otto')))
      // The events and purchases of two people stay in tallies, and the states of their addresses under hashes.
      assert.ok(rows.some(({ table }) => table === 'tally' || table === 'tally_change'))
      assert.ok(rows.some(({ table }) => table === 'address_state'))
      assert.ok(rows.some(({ table, text }) => table === 'deleted_messages' && text.includes('sent,2')))
      assert.ok(rows.some(({ table }) => table === 'suppression'))
    })

    test('history that waits to follow a merge is deleted too', async () => {
      const place = await lendDatabase(database)
      const pairs = many(pairCount, (i) => [`gone-${i}`, `kept-${i}`] as const)
      await serving(place, async (people) => {
        await people.happen(...pairs.flat().map((external_id) => event({ external_id })))
        const merge_updates = pairs.map(([gone, kept]) => {
          return { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }
        })
        const requests = [
          await people.send('/users/merge', { merge_updates }),
          await people.send('/users/delete', { external_ids: pairs.map(([, kept]) => kept) }),
        ]
        for (const answer of requests) {
          assert.ok((await people.done(answer)).every(({ outcome }) => outcome === 'done'))
        }
      })
      const rows = await rowsOf(place)
      assert.deepEqual(
        rows.filter(({ table }) => /^(event|merged_profile|profile$)/.test(table)),
        [],
      )
    })

    test('the state of an e-mail address is kept after the deletion, for the next person who has it', async () => {
      const place = await lendDatabase(database)
      const [email, phone] = [newEmail(), newPhone()]
      await serving(place, async (people) => {
        const [first, second] = [newId(), newId()]
        const subscription_groups = [
          { subscription_group_id: groups.news.id, subscription_state: 'unsubscribed' },
          { subscription_group_id: groups.alerts.id, subscription_state: 'subscribed' },
        ]
        await people.set({
          external_id: first,
          email,
          phone,
          email_subscribe: 'unsubscribed',
          subscription_groups,
        })
        await people.delete({ external_ids: [first] })
        await people.set({ external_id: second, email, phone })
        const anew = await people.person(second)
        assert.equal(anew.email_subscribe, 'unsubscribed')
        assert.ok(anew.email_unsubscribed_at)
        const { body } = await people.get(`/subscription/user/status?external_id=${second}`)
        const states = only(body.users ?? []).subscription_groups as readonly { name: string; status: string }[]
        const listed = states.map(({ name, status }) => `${name} ${status}`).toSorted()
        assert.deepEqual(listed, ['Alerts Subscribed', 'News Unsubscribed'])
      })
      const rows = await rowsOf(place)
      const holders = rows.filter(({ text }) => text.includes(email)).map(({ table }) => table)
      assert.ok(!holders.includes('address_state'), `${holders}`)
    })
  })
}

type Word = (what: string) => string
type Person = Awaited<ReturnType<typeof newPerson>>

/** Creates a person with something in every table that can hold data of a person. */
async function newPerson(people: People, word: Word) {
  const external_id = word('id')
  const email = `${word('mail')}@example.com`
  const phone = newPhone()
  const user_alias = { alias_name: word('alias'), alias_label: word('label') }
  await people.set({
    external_id,
    email,
    phone,
    first_name: word('first'),
    last_name: word('last'),
    home_city: word('city'),
    image_url: `https://example.com/${word('image')}`,
    facebook: { id: word('facebook') },
    twitter: { screen_name: word('twitter') },
    email_subscribe: 'opted_in',
    // The names of attributes stay, as those of events.
    trait: word('value'),
    nested: { list: [word('nested')] },
    subscription_groups: [{ subscription_group_id: groups.news.id, subscription_state: 'subscribed' }],
    push_tokens: [{ app_id: 'app-phone', token: word('token'), device_id: word('device') }],
  })
  const aliased = await people.send('/users/alias/new', { user_aliases: [{ external_id, ...user_alias }] })
  assert.equal(aliased.status, 201, aliased.text)
  await people.happen(
    event({ external_id }, { properties: { a: word('property') } }),
    event({ external_id }, { properties: { b: { c: word('inner') } } }),
  )
  await people.buy(purchase({ external_id }, { properties: { size: word('size') } }))
  await tell(people, newDevice(), {
    identifier: { external_id },
    device: { device_id: word('sdk'), model: word('model'), carrier: word('carrier'), idfa: word('idfa') },
    attribution: { campaign: word('campaign') },
    card_clicks: [word('card')],
    push_token: word('sdktoken'),
  })
  return { external_id, email, phone, user_alias }
}

/** Creates work items that name a person, with every outcome. */
async function mention(
  people: People,
  { external_id, email, user_alias }: Person,
  second: Person,
  other: Item,
): Promise<void> {
  const nobody = { external_id: 'nobody-at-all' }
  const address = { email, prioritization: ['unidentified'] }
  const updates: [Item, Item][] = [
    [{ external_id }, nobody],
    [nobody, { user_alias }],
    [{ external_id }, { external_id }],
    [address, { external_id: other.external_id }],
    [{ external_id: second.external_id }, nobody],
  ]
  for (const [from, into] of updates) assert.notEqual((await people.merge(from, into)).outcome, 'done')
  const identify = { aliases_to_identify: [{ external_id: other.external_id, user_alias }] }
  assert.equal((await people.send('/users/identify', identify)).status, 201)
}

/** Creates sent and waiting mail to a person. The orders also name an external_id that the person gets later. */
async function write(
  people: People,
  person: Person,
  mergedProfile: Person,
  renamed: string,
  word: Word,
): Promise<void> {
  const external_user_ids = [person.external_id, mergedProfile.external_id, renamed]
  const order = letter(
    { external_user_ids, user_aliases: [person.user_alias] },
    {
      subject: `Dear ${'{{${first_name}}}'} ${word('subject')}`,
      body: `<p>${word('body')}</p>`,
      plaintext_body: word('plaintext'),
      preheader: word('preheader'),
      headers: { 'X-Word': word('header') },
      extras: { word: word('extra') },
    },
  )
  const { status, text } = await people.send('/messages/send', order)
  assert.equal(status, 201, text)
  for (const { email } of [person, mergedProfile]) {
    for (let mails = 0; mails === 0; ) {
      mails = (await people.service.admin('GET', `/admin/inbox?to=${email}`)).body.messages.length
    }
  }
  const later = { ...order, schedule: { time: '2099-01-01T00:00:00Z' } }
  assert.equal((await people.send('/messages/schedule/create', later)).status, 201)
  assert.equal((await people.send('/email/blocklist', { email: person.email })).status, 201)
  await people.service.admin('POST', '/admin/suppressions', {
    email: person.email,
    reason: 'spam',
    told: word('told'),
  })
}

/** Asserts that the items about the person have only their outcome, and that another item is complete. */
async function gone(people: People, { external_id }: Item): Promise<void> {
  await people.merge({ external_id }, { external_id: 'nobody-at-all' })
  const { work } = await people.work('limit=100')
  const [last, ...before] = work
  assert.deepEqual(last?.asked?.identifier_to_merge, { external_id })
  for (const { asked, kept, merged, kind, outcome, finished_at } of before) {
    assert.deepEqual([asked, kept, merged], [null, null, null], `${kind} ${outcome}`)
    assert.ok(finished_at)
  }
  const outcomes = new Set(before.map(({ outcome }) => outcome))
  assert.deepEqual([...outcomes].toSorted(), ['already_identified', 'done', 'nobody_matched', 'same_person'])
}

/** Exports everybody who has the attribute `n` or a first name. Returns how many people the file has now; 0 while there is none. */
async function exportEverybody(people: People, external_id: string): Promise<() => Promise<number>> {
  await people.set({ external_id, n: 1 })
  await people.service.admin('POST', '/admin/segments', segmentOf('everybody', 'n', 1))
  const { body, status, text } = await people.service.post('/users/export/segment', {
    segment_id: 'everybody',
    fields_to_export: ['external_id', 'first_name', 'custom_attributes'],
    output_format: 'gzip',
  })
  assert.equal(status, 201, text)
  const count = async () => {
    const file = await download(people.service.url, body.url)
    return file.status === 200 ? filesIn(file.bytes, 'gzip').all!.length : 0
  }
  await eventually('everybody is exported', async () => (await count()) === 2)
  return count
}

/** Whether a text has a word, also as bytes of a mail or of a column in hexadecimal. */
function contains(text: string, word: string): boolean {
  const [all, one] = [text.toLowerCase(), word.toLowerCase()]
  return all.includes(one) || all.includes(Buffer.from(word).toString('hex'))
}

/** Reads every file of the data directory, unpacked. The database of these tests is in memory. */
function filesUnder(folder: string): { name: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => {
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    return { name: entry.name, text: (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1') }
  })
}

/** Runs with a service, and reads the database when the service has ended. */
async function serving<T>(
  on: Lent,
  act: (people: People) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const people = new People()
  await people.start({ on, workspace, env })
  try {
    return await act(people)
  } finally {
    await people.stop()
  }
}

async function rowsOf({ db }: Lent) {
  try {
    return await everyRow(db)
  } finally {
    await db.close()
  }
}
