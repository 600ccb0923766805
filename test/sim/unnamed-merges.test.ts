import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { ago, hourMs, type Item, many, type NoticeEntry, peopleOf } from '../support/people.ts'
import { Merged } from './unnamed-merged.ts'
import { readPeople } from './unnamed-people.ts'

const stepsMax = 4
/** Programs whose items share requests: a request has at most 50. */
const programsTogether = 50
const programsPerRound = 500
const objectsMax = String(2 * 3 * programsTogether)

/** One item of a request: `isWrong` when it refuses the whole request. */
type Step = { readonly path: keyof typeof lists; readonly item: Item; readonly isWrong: boolean }
type Program = { readonly index: number; readonly steps: readonly Step[]; readonly merged: Merged }

const lists = {
  '/users/alias/new': 'user_aliases',
  '/users/alias/update': 'alias_updates',
  '/users/external_ids/rename': 'external_id_renames',
  '/users/identify': 'aliases_to_identify',
  '/users/merge': 'merge_updates',
} as const
const paths = Object.keys(lists) as (keyof typeof lists)[]

for (const database of drawDatabases('unnamed-merges')) {
  describe(`what merges, identifications and aliases accept (${database})`, () => {
    const people = peopleOf(database, { env: { EASEL_BATCH_MAX: objectsMax } })

    test('is done with everything that people had, or it is named', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let first = 0; first < sizes.unnamedMerges; first += programsPerRound) {
        const count = Math.min(programsPerRound, sizes.unnamedMerges - first)
        const programs = many(count, (i) => programOf(new Random(seed + (first + i) * 7919), first + i))
        for (let i = 0; i < count; i += programsTogether) await run(programs.slice(i, i + programsTogether))
        const found = await readPeople(people.service)
        for (const { index, steps, merged } of programs) {
          assert.deepEqual(merged.missingIn(found), [], `seed ${seed}, program ${index}: ${JSON.stringify(steps)}`)
        }
      }
    })

    async function run(programs: readonly Program[]): Promise<void> {
      const marked = programs.flatMap(({ merged }) => merged.marks)
      const events = marked.map(({ who, mark }) => ({ ...who, name: mark, time: ago(hourMs) }))
      await people.accept({ attributes: marked.map(({ who, mark }) => ({ ...who, [mark]: mark })), events })
      for (let n = 0; n < stepsMax; n++) {
        for (const path of paths) {
          const now = programs.filter(({ steps }) => steps[n]?.path === path)
          const [right, wrong] = [false, true].map((isWrong) => now.filter((one) => one.steps[n]!.isWrong === isWrong))
          for (const { steps } of wrong!) await refuse(path, steps[n]!.item)
          if (right!.length > 0) await send(path, right!, n)
        }
      }
    }

    async function refuse(path: keyof typeof lists, item: Item): Promise<void> {
      const { status, text } = await people.send(path, { [lists[path]]: [item] })
      assert.equal(status, 400, `${text} ${path} ${JSON.stringify(item)}`)
    }

    async function send(path: keyof typeof lists, programs: readonly Program[], n: number): Promise<void> {
      const items = programs.map(({ steps }) => steps[n]!.item)
      const answer = await people.send(path, { [lists[path]]: items })
      const { status, text, body } = answer
      assert.equal(status, path === '/users/merge' ? 202 : 201, `${text} ${path} ${JSON.stringify(items)}`)
      if ('aliases_processed' in body) assert.equal(body.aliases_processed, items.length, text)
      const entries = [...(body.notices ?? []), ...(body.rename_errors ?? [])] as readonly NoticeEntry[]
      const unnamed = new Set(programs.keys())
      for (const { index, input_array } of entries) if (input_array === lists[path]) unnamed.delete(index!)
      if (path === '/users/merge') {
        // A merge is done after its answer. Its outcome is named by `GET /admin/work`.
        for (const { position, outcome } of await people.done(answer)) {
          if (outcome !== 'done' && outcome !== 'same_person') unnamed.delete(position)
        }
      }
      for (const i of unnamed) programs[i]!.merged.take(path, items[i]!)
    }
  })
}

/** Returns steps about three people: one has an external id, one only an alias, one only an e-mail address. */
function programOf(random: Random, index: number): Program {
  const ids = [`x-${index}`, `y-${index}`, `z-${index}`]
  const aliases = many(4, (i) => ({ alias_label: i < 2 ? 'shop' : 'till', alias_name: `a${i}-${index}` }))
  const email = `m-${index}@example.com`
  const merged = new Merged([
    { external_id: ids[0]! },
    { user_alias: aliases[0]!, _update_existing_only: false },
    { email },
  ])
  const selector = (): Item =>
    random.pick<Item>([
      { external_id: random.pick(ids) },
      { user_alias: random.pick(aliases) },
      { email: random.pick([email, email.toUpperCase()]), prioritization: ['most_recently_updated'] },
    ])
  const stepOf = (): Step => {
    const path = random.pick(paths)
    const isWrong = random.below(8) === 0
    const id = isWrong ? random.pick<unknown>([7.5, '', {}, 'a\u0000b']) : random.pick(ids)
    const { alias_label, alias_name } = random.pick(aliases)
    switch (path) {
      case '/users/alias/new': {
        const name = isWrong ? random.pick<unknown>([7, '', null, '\ud800']) : alias_name
        const who = random.below(3) === 0 ? {} : { external_id: random.pick(ids) }
        return { path, isWrong, item: { ...who, alias_label, alias_name: name } }
      }
      case '/users/alias/update': {
        const { alias_name: other } = random.pick(aliases.filter((alias) => alias.alias_label === alias_label))
        const after = isWrong ? random.pick<unknown>([7, '', null]) : other
        return { path, isWrong, item: { alias_label, old_alias_name: alias_name, new_alias_name: after } }
      }
      case '/users/external_ids/rename':
        // A wrong item is an entry of `rename_errors`, beside others.
        return { path, isWrong: false, item: { current_external_id: id, new_external_id: random.pick(ids) } }
      case '/users/identify':
        return { path, isWrong, item: { external_id: id, user_alias: { alias_label, alias_name } } }
      case '/users/merge': {
        const keep = isWrong ? random.pick<unknown>([{ external_id: 7 }, {}, null, { email }]) : selector()
        return { path, isWrong, item: { identifier_to_merge: selector(), identifier_to_keep: keep } }
      }
    }
  }
  return { index, merged, steps: many(1 + random.below(stepsMax), stepOf) }
}
