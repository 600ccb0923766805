import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { scalars } from '../support/half-valid-values.ts'
import { drawDatabases } from '../support/harness.ts'
import { everyField, type Item, many, type NameError, peopleOf } from '../support/people.ts'
import { parse } from './unnamed-model.ts'
import { readPeople } from './unnamed-people.ts'

const peopleMax = 120
const identifiersMax = 12
const requestsTogether = 8
const wrongIds: readonly unknown[] = ['', null, 7.5, {}, [], 'a\u0000b', 'x'.repeat(988)]
const wrongAliases: readonly unknown[] = [null, 'a', {}, { alias_name: 'a' }, { alias_name: 7, alias_label: 'shop' }]
const wrongFields: readonly unknown[] = ['', 'custom_atributes', 'updated_at', 7, null]

/** A request, the marks of the people it names, the identifiers of nobody, and why it is refused. */
type Program = {
  readonly body: Record<string, unknown>
  readonly marks: ReadonlySet<string>
  readonly nobody: readonly string[]
  readonly wrong: readonly string[]
  readonly isRefused: boolean
}

for (const database of drawDatabases('unnamed-exports')) {
  describe(`what an export returns (${database})`, () => {
    const people = peopleOf(database)

    test('is everyone who is named with each field, or the answer names what is not', async (t) => {
      t.diagnostic(`seed ${seed}`)
      const own = many(peopleMax, personOf)
      for (let i = 0; i < own.length; i += 40) await people.set(...own.slice(i, i + 40))
      const shown = new Map([...(await readPeople(people.service)).values()].map((one) => [one.custom.mark, one]))
      assert.equal(shown.size, peopleMax)
      for (let first = 0; first < sizes.unnamedExports; first += requestsTogether) {
        await Promise.all(
          many(Math.min(requestsTogether, sizes.unnamedExports - first), async (i) => {
            const program = programOf(new Random(seed + (first + i) * 7919))
            const where = `seed ${seed}, program ${first + i}: ${JSON.stringify(program.body)}`
            const { status, text, body } = await people.export(program.body)
            assert.equal(status, program.isRefused ? 400 : 201, `${where} ${text}`)
            if (program.isRefused) {
              const places = ((body.details ?? []) as readonly NameError[]).map(
                ({ input_array, index }) => `${input_array}[${index}]`,
              )
              assert.deepEqual(places, program.wrong, `${where} ${text}`)
              return
            }
            const { users, invalid_user_ids = [] } = parse(text) as {
              users: readonly Item[]
              invalid_user_ids?: string[]
            }
            assert.deepEqual(invalid_user_ids.toSorted(), program.nobody.toSorted(), where)
            const found = new Map(users.map((user) => [(user.custom_attributes as Item).mark as string, user]))
            assert.equal(found.size, users.length, where)
            assert.deepEqual(new Set(found.keys()), program.marks, where)
            for (const [mark, user] of found) {
              const { custom, profile } = shown.get(mark)!
              assert.deepEqual(user.custom_attributes, custom, where)
              for (const field of ['external_id', 'email', 'phone', 'first_name']) {
                const isAsked = (program.body.fields_to_export as readonly unknown[]).includes(field)
                assert.equal(user[field], isAsked ? profile[field] : undefined, `${field} ${where}`)
              }
            }
          }),
        )
      }
    })
  })
}

const aliasOf = (i: number) => ({ alias_label: 'shop', alias_name: `alias ${i}` })
const emailOf = (i: number) => `e${i}@example.com`
const phoneOf = (i: number) => `+1555${String(i).padStart(7, '0')}`

/** Returns the attributes of a person: every fourth one has only an alias, and so on. Every eighth address has two people. */
function personOf(i: number): Item {
  const who = [
    { external_id: `id ${i}`, email: emailOf(i - (i % 8)), phone: phoneOf(i) },
    { external_id: `id ${i}`, first_name: `Ü ${i}` },
    { user_alias: aliasOf(i), _update_existing_only: false, email: emailOf(i) },
    { email: emailOf(i) },
  ][i % 4]!
  const value = scalars[i % scalars.length]
  const isKept = typeof value !== 'object' && value !== 'a\u0000b'
  return { ...who, mark: `m${i}`, ...(isKept && { value }) }
}

/** Returns the marks of the people with an e-mail address: each person with an e-mail has that of their group or their own. */
function sharing(email: string): string[] {
  return many(peopleMax, (i) => i).flatMap((i) => (personOf(i).email === email ? [`m${i}`] : []))
}

function programOf(random: Random): Program {
  const marks = new Set<string>()
  const nobody: string[] = []
  const wrong: string[] = []
  const isWrong = random.below(5) === 0
  const list = (name: string, kinds: readonly number[], of: (i: number) => unknown, wrongs: readonly unknown[]) =>
    many(random.below(identifiersMax), (at) => {
      if (isWrong && random.below(6) === 0) {
        wrong.push(`${name}[${at}]`)
        return random.pick(wrongs)
      }
      const i = random.below(peopleMax + 20)
      const value = of(i)
      if (i < peopleMax && kinds.includes(i % 4)) marks.add(`m${i}`)
      else nobody.push(typeof value === 'string' ? value : (value as { alias_name: string }).alias_name)
      return value
    })
  const external_ids = list('external_ids', [0, 1], (i) => `id ${i}`, wrongIds)
  const user_aliases = list('user_aliases', [2], aliasOf, wrongAliases)
  const fields = everyField.filter((field) => field !== 'custom_attributes' && random.below(4) === 0)
  const fields_to_export: unknown[] = [...fields, 'custom_attributes']
  const address = addressOf(random, marks, nobody)
  const body: Record<string, unknown> = { external_ids, user_aliases, ...address, fields_to_export }
  const isEmpty = external_ids.length + user_aliases.length === 0 && Object.keys(address).length === 0
  let isRefused = wrong.length > 0 || isEmpty
  if (random.below(12) === 0) {
    const field = random.pick(wrongFields)
    // Fields are read first. One that is no text refuses the list as a whole.
    wrong.splice(
      0,
      wrong.length,
      ...(typeof field === 'string' ? [`fields_to_export[${fields_to_export.length}]`] : []),
    )
    fields_to_export.push(field)
    isRefused = true
  }
  return { body, marks, nobody, wrong, isRefused }
}

function addressOf(random: Random, marks: Set<string>, nobody: string[]): Item {
  const i = random.below(peopleMax + 20)
  const draw = random.below(4)
  if (draw === 0) {
    const email = random.below(2) === 0 ? emailOf(i) : emailOf(i).toUpperCase()
    const found = sharing(emailOf(i))
    if (found.length === 0) nobody.push(email)
    for (const mark of found) marks.add(mark)
    return { email_address: email }
  }
  if (draw === 1) {
    if (i < peopleMax && i % 4 === 0) marks.add(`m${i}`)
    else nobody.push(phoneOf(i))
    return { phone: phoneOf(i) }
  }
  if (draw === 2 && random.below(3) === 0) {
    nobody.push('no address')
    return { email_address: 'no address' }
  }
  return {}
}
