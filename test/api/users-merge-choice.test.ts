import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newAlias, newEmail, newId, newPhone, only, peopleOf } from '../support/people.ts'

/** More people than a query reads for one address. */
const crowdCount = 150

const newNames = (kinds: string): Item[] =>
  [...kinds].map((kind) => (kind === 'x' ? { external_id: newId() } : { user_alias: newAlias() }))

for (const database of drawDatabases('users-merge-choice')) {
  describe(`prioritization of several people with one address (${database})`, () => {
    const people = peopleOf(database)

    /** Creates people with one address, who are updated in this order: `x` has an external_id, `a` only an alias. */
    const sharers = async (address: Item, kinds: string): Promise<Item[]> => {
      const named = newNames(kinds)
      for (const who of named) await people.set({ ...who, ...address, _update_existing_only: false })
      return named
    }

    const serviceIdOf = async (who: Item): Promise<string | undefined> => (await serviceIdsOf([who]))[0]

    const serviceIdsOf = async (everybody: readonly Item[]): Promise<(string | undefined)[]> => {
      const asked = {
        external_ids: everybody.flatMap(({ external_id }) => external_id ?? []),
        user_aliases: everybody.flatMap(({ user_alias }) => user_alias ?? []),
      }
      const found = await people.find(asked, ['service_id', 'external_id', 'user_aliases'])
      const ids = new Map(
        found.flatMap(({ service_id, external_id, user_aliases = [] }) =>
          [external_id, ...user_aliases.map(({ alias_name }) => alias_name)].map((name) => [name, service_id]),
        ),
      )
      return everybody.map(({ external_id, user_alias }) => {
        return ids.get((external_id ?? (user_alias as Item | undefined)?.alias_name) as string)
      })
    }

    const kinds = { email: newEmail, phone: newPhone }
    for (const [kind, newAddress] of Object.entries(kinds)) {
      test(`each rule selects among the people that the rules before it have left (${kind})`, async () => {
        const table: readonly [sharers: string, words: string[], expected: number | string][] = [
          ['aa', ['unidentified'], 'several_matched'],
          ['aa', ['unidentified', 'most_recently_updated'], 1],
          ['aa', ['unidentified', 'least_recently_updated'], 0],
          ['aa', ['identified'], 'nobody_matched'],
          ['axa', ['identified'], 1],
          ['xx', ['identified'], 'several_matched'],
          ['xax', ['identified', 'most_recently_updated'], 2],
          ['xax', ['identified', 'least_recently_updated'], 0],
          ['axa', ['most_recently_updated'], 2],
          ['axx', ['least_recently_updated'], 0],
          ['xa', ['most_recently_updated', 'identified'], 'nobody_matched'],
          ['ax', ['most_recently_updated', 'identified'], 1],
          ['a', ['unidentified'], 0],
          ['x', ['unidentified'], 'nobody_matched'],
        ]
        const rows = table.map(([kinds, prioritization, expected]) => {
          return { kinds, prioritization, expected, address: { [kind]: newAddress() }, kept: newId('kept') }
        })
        await people.set(...rows.map(({ kept }) => ({ external_id: kept })))
        const found: Item[][] = rows.map(() => [])
        for (const place of [0, 1, 2]) {
          const next = rows.flatMap(({ kinds, address }, row) => {
            const who = newNames(kinds.slice(place, place + 1))
            found[row]!.push(...who)
            return who.map((names) => ({ ...names, ...address, _update_existing_only: false }))
          })
          await people.set(...next)
        }
        const ids = await serviceIdsOf(found.flat())
        const merge_updates = rows.map(({ address, prioritization, kept }) => {
          return { identifier_to_merge: { ...address, prioritization }, identifier_to_keep: { external_id: kept } }
        })
        const work = await people.done(await people.send('/users/merge', { merge_updates }))
        const left = await serviceIdsOf(found.flat())
        for (const [row, { kinds, prioritization, expected }] of rows.entries()) {
          const label = `${kinds} ${prioritization}`
          const begin = found.slice(0, row).flat().length
          const [before, after] = [ids, left].map((all) => all.slice(begin, begin + kinds.length))
          if (typeof expected === 'string') assert.equal(work[row]!.outcome, expected, label)
          else assert.equal(work[row]!.merged, before![expected], label)
          assert.ok(
            before!.every((id) => id !== undefined),
            label,
          )
          const gone = before!.filter((id, i) => id !== after![i])
          assert.deepEqual(gone, typeof expected === 'string' ? [] : [before![expected]], label)
        }
      })
    }

    test('a person who gets data is the most recently updated', async () => {
      const email = newEmail()
      const [first, second] = await sharers({ email }, 'xx')
      await people.set({ ...first, n: 1 })
      const kept = newId('kept')
      await people.set({ external_id: kept })
      const latest = { email, prioritization: ['most_recently_updated'] }
      await people.merge(latest, { external_id: kept })
      assert.deepEqual(await people.custom(kept), { n: 1 })
      assert.equal((await people.find({ external_ids: [second!.external_id] })).length, 1)
    })

    test('the same rules select the kept person', async () => {
      const email = newEmail()
      const [, latest] = await sharers({ email }, 'xx')
      const gone = newId('gone')
      await people.set({ external_id: gone, from: 'gone' })
      const wanted = await serviceIdOf(latest!)
      const keep = { email, prioritization: ['identified', 'most_recently_updated'] }
      const { kept } = await people.merge({ external_id: gone }, keep)
      assert.equal(kept, wanted)
      assert.equal((await people.custom(String(latest!.external_id))).from, 'gone')
    })

    test('two people with one address are merged, each selected by its rules', async () => {
      const email = newEmail()
      await sharers({ email }, 'xxx')
      const oldest = { email, prioritization: ['least_recently_updated'] }
      const newest = { email, prioritization: ['most_recently_updated'] }
      assert.equal((await people.merge(oldest, newest)).outcome, 'done')
      assert.equal((await people.find({ email_address: email })).length, 2)
    })

    test('an item sees the effects of the items before it on the address', async () => {
      const email = newEmail()
      await sharers({ email }, 'aaa')
      const kept = newId('kept')
      await people.set({ external_id: kept })
      const next = {
        identifier_to_merge: { email, prioritization: ['unidentified', 'most_recently_updated'] },
        identifier_to_keep: { external_id: kept },
      }
      // Three people with the address are merged. After the first merge the kept person has the address and an external_id too.
      const answer = await people.send('/users/merge', { merge_updates: [next, next, next, next] })
      const outcomes = (await people.done(answer)).map(({ outcome }) => outcome)
      assert.deepEqual(outcomes, ['done', 'done', 'done', 'nobody_matched'])
      assert.equal(only(await people.find({ email_address: email })).external_id, kept)
    })

    test('of very many people with one address the right one is selected', async () => {
      const email = newEmail()
      const aliases = many(crowdCount, () => newAlias('crowd'))
      const external_id = newId('kept')
      await people.set({ external_id, email })
      const attributes = aliases.map((user_alias, i) => ({ user_alias, email, _update_existing_only: false, i }))
      assert.equal((await people.send('/users/track/bulk', { attributes })).status, 201)
      await people.set({ user_alias: aliases[40], latest: true })
      const into = { external_id: newId('into') }
      await people.set(into)
      const merge = async (...prioritization: string[]) => people.merge({ email, prioritization }, into)
      assert.equal((await merge('unidentified')).outcome, 'several_matched')
      const latest = await serviceIdOf({ user_alias: aliases[40] })
      assert.equal((await merge('most_recently_updated')).merged, latest)
      const earliest = await serviceIdOf({ user_alias: aliases[0] })
      assert.equal((await merge('unidentified', 'least_recently_updated')).merged, earliest)
      // The kept person now has the address, and an external_id like the first person with it.
      assert.equal((await merge('identified')).outcome, 'several_matched')
      assert.equal((await merge('identified', 'least_recently_updated')).merged !== null, true)
      assert.equal((await people.find({ external_ids: [external_id] })).length, 0)
    })
  })
}
