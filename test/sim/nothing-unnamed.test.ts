import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { type ArrayName, type Item, many, texts, workspace } from '../support/people.ts'
import { Expected, parse } from './unnamed-model.ts'
import { namedBy, readPeople } from './unnamed-people.ts'
import { type Program, programOf, type Step } from './unnamed-programs.ts'

/** Programs whose objects share requests. */
const programsTogether = 30
/** Requests that are sent at once. The service applies them together, which costs it less. */
const requestsTogether = 4
const objectsMax = '200'
/** Programs whose people are read together. */
const programsPerRound = 1_000
const arrays = ['attributes', 'events', 'purchases'] as const

type Answer = {
  readonly notices?: readonly { readonly index?: number; readonly input_array?: string; readonly member: string }[]
  readonly further_notices?: number
  readonly errors?: readonly { readonly index: number; readonly input_array: string }[]
  readonly [processed: `${string}_processed`]: number | undefined
}

for (const database of drawDatabases('nothing-unnamed')) {
  describe(`what a 201 counts as processed (${database})`, () => {
    test('is found again, or the answer names what is missing', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let first = 0; first < sizes.unnamedPrograms; first += programsPerRound) {
        await using service = await startService({ database, workspace, env: { EASEL_BATCH_MAX: objectsMax } })
        const count = Math.min(programsPerRound, sizes.unnamedPrograms - first)
        const programs = many(count, (i) => programOf(new Random(seed + (first + i) * 7919), first + i))
        const expected = new Map(programs.map((program) => [program, new Expected(program.who)]))
        const batches = many(Math.ceil(count / programsTogether), (i) =>
          programs.slice(i * programsTogether, (i + 1) * programsTogether),
        )
        for (let i = 0; i < batches.length; i += requestsTogether) {
          await Promise.all(batches.slice(i, i + requestsTogether).map((batch) => run(service, batch, expected)))
        }
        judge(expected, await readPeople(service))
      }
    })
  })
}

type Crowd = Map<Program, Expected>
type Sent = { readonly program: Program; readonly step: Step }

/** Sends the first request of each program as one, then the second of each, and so on. */
async function run(service: Service, programs: readonly Program[], expected: Crowd): Promise<void> {
  for (let n = 0; programs.some(({ requests }) => n < requests.length); n++) {
    const sent = programs.flatMap((program) => (program.requests[n] ?? []).map((step): Sent => ({ program, step })))
    const lists = Object.groupBy(sent, ({ step }) => step.array)
    const items = arrays.flatMap((array) => (lists[array] ? [[array, lists[array].map(({ step }) => step.item)]] : []))
    const text = JSON.stringify(Object.fromEntries(items))
    const { status, text: answered } = await service.post('/users/track', text)
    const answer = JSON.parse(answered)
    if (status === 201) take(answer, lists, parse(text) as Record<ArrayName, unknown[]>, expected)
    else assert.deepEqual([status, answer.message], [400, texts.nothingValid], text)
  }
}

/** Takes what an answer counts, as it was sent. */
function take(
  answer: Answer,
  lists: { readonly [array in ArrayName]?: readonly Sent[] },
  body: Readonly<Record<ArrayName, readonly unknown[]>>,
  expected: Crowd,
): void {
  // An answer has at most 100 notices. What it does not list cannot be judged.
  if (answer.further_notices !== undefined) {
    for (const { program } of Object.values(lists).flat()) expected.delete(program)
    return
  }
  for (const array of arrays) {
    const refused = new Set(answer.errors?.filter((one) => one.input_array === array).map(({ index }) => index))
    const sent = lists[array] ?? []
    assert.equal(answer[`${array}_processed`] ?? 0, sent.length - refused.size, JSON.stringify(answer))
    for (const [index, { program }] of sent.entries()) {
      if (refused.has(index)) continue
      const members = answer.notices?.filter((one) => one.input_array === array && one.index === index) ?? []
      expected.get(program)?.take(array, body[array][index] as Item, namedBy(members.map(({ member }) => member)))
    }
  }
}

function judge(expected: Crowd, people: Awaited<ReturnType<typeof readPeople>>): void {
  const failed = [...expected].flatMap(([program, one]) => {
    if (!one.isCreated) return []
    const shown = people.get(nameOf(program.who))
    const missing = shown ? one.missingIn(shown) : ['there is no such person']
    return missing.length > 0 ? [{ program, missing }] : []
  })
  const [first] = failed
  if (first === undefined) return
  assert.fail(
    `${failed.length} of ${expected.size} programs lost something that no answer named. Seed ${seed}, program ${first.program.index}:\n` +
      `${first.missing.join('\n')}\n${JSON.stringify(first.program)}`,
  )
}

function nameOf({ external_id, user_alias, email, phone }: Item): string {
  if (external_id !== undefined) return String(external_id)
  if (user_alias !== undefined) return (user_alias as { alias_name: string }).alias_name
  return email !== undefined ? String(email).toLowerCase() : String(phone).replaceAll(/[ ()]/g, '')
}
