import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../harness.ts'
import { type Item, many, newAlias, newEmail, newId, newPhone, only, peopleOf } from '../people.ts'

/** More than are looked at for one address. */
const crowdCount = 150

for (const database of databases) {
  describe(`who of several people with one address is meant (${database})`, () => {
    const people = peopleOf(database)

    /** People with one address, in the order in which they were updated; `x` has an external_id, `a` only an alias. */
    const sharers = async (address: Item, kinds: string): Promise<Item[]> => {
      const named = [...kinds].map((kind) => (kind === 'x' ? { external_id: newId() } : { user_alias: newAlias() }))
      for (const who of named) await people.set({ ...who, ...address, _update_existing_only: false })
      return named
    }

    const serviceIdOf = async (who: Item): Promise<string | undefined> => {
      const asked = 'external_id' in who ? { external_ids: [who.external_id] } : { user_aliases: [who.user_alias] }
      return (await people.find(asked, ['service_id']))[0]?.service_id
    }

    const kinds = { email: newEmail, phone: newPhone }
    for (const [kind, newAddress] of Object.entries(kinds)) {
      test(`each word narrows whom the one before it has left (${kind})`, async () => {
        const table: readonly [sharers: string, words: string[], meant: number | string][] = [
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
        for (const [who, prioritization, meant] of table) {
          const address = { [kind]: newAddress() }
          const found = await sharers(address, who)
          const ids = await Promise.all(found.map(serviceIdOf))
          const kept = newId('kept')
          await people.set({ external_id: kept })
          const { outcome, merged } = await people.merge({ ...address, prioritization }, { external_id: kept })
          const told = `${who} ${prioritization}`
          if (typeof meant === 'string') assert.equal(outcome, meant, told)
          else assert.equal(merged, ids[meant], told)
          const left = await Promise.all(found.map(serviceIdOf))
          assert.deepEqual(left.filter((id, i) => id !== ids[i]).length, typeof meant === 'string' ? 0 : 1, told)
        }
      })
    }

    test('being written to makes somebody the most recently updated', async () => {
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

    test('the same words choose who is kept', async () => {
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

    test('two people of one address merge by their places', async () => {
      const email = newEmail()
      await sharers({ email }, 'xxx')
      const oldest = { email, prioritization: ['least_recently_updated'] }
      const newest = { email, prioritization: ['most_recently_updated'] }
      assert.equal((await people.merge(oldest, newest)).outcome, 'done')
      assert.equal((await people.find({ email_address: email })).length, 2)
    })

    test('an item sees what the items before it have done to the address', async () => {
      const email = newEmail()
      await sharers({ email }, 'aaa')
      const kept = newId('kept')
      await people.set({ external_id: kept })
      const next = {
        identifier_to_merge: { email, prioritization: ['unidentified', 'most_recently_updated'] },
        identifier_to_keep: { external_id: kept },
      }
      // Three people with the address are merged; from the first on the kept person has it too, and has an external_id.
      const answer = await people.send('/users/merge', { merge_updates: [next, next, next, next] })
      const outcomes = (await people.done(answer)).map(({ outcome }) => outcome)
      assert.deepEqual(outcomes, ['done', 'done', 'done', 'nobody_matched'])
      assert.equal(only(await people.find({ email_address: email })).external_id, kept)
    })

    test('in a crowd the right one is found', async () => {
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
      // The kept person has the address by now, and an external_id like the one who had it first.
      assert.equal((await merge('identified')).outcome, 'several_matched')
      assert.equal((await merge('identified', 'least_recently_updated')).merged !== null, true)
      assert.equal((await people.find({ external_ids: [external_id] })).length, 0)
    })
  })
}
