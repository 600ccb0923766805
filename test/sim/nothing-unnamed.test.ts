import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { databases, type Service, startService } from '../support/harness.ts'
import { many, texts, workspace } from '../support/people.ts'
import { Expected, type Named, parse, type Shown } from './unnamed-model.ts'
import { type ArrayName, type Item, type Program, programOf, type Step } from './unnamed-programs.ts'

/** Programs whose objects share requests: a request has at most 50. */
const programsTogether = 12
/** Programs whose people are read together. */
const programsPerRound = 1_000
const arrays = ['attributes', 'events', 'purchases'] as const

type Answer = {
  readonly notices?: readonly { readonly index?: number; readonly input_array?: string; readonly member: string }[]
  readonly further_notices?: number
  readonly errors?: readonly { readonly index: number; readonly input_array: string }[]
  readonly [processed: `${string}_processed`]: number | undefined
}

for (const database of databases) {
  describe(`what a 201 counts as processed (${database})`, () => {
    test('is found again, or the answer names what is missing', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let first = 0; first < sizes.unnamedPrograms; first += programsPerRound) {
        await using service = await startService({ database, workspace })
        const count = Math.min(programsPerRound, sizes.unnamedPrograms - first)
        const programs = many(count, (i) => programOf(new Random(seed + (first + i) * 7919), first + i))
        const expected = new Map(programs.map((program) => [program, new Expected(program.who)]))
        for (let i = 0; i < count; i += programsTogether)
          await run(service, programs.slice(i, i + programsTogether), expected)
        judge(expected, await readPeople(service))
      }
    })
  })
}

type Crowd = ReadonlyMap<Program, Expected>
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
  assert.equal(answer.further_notices, undefined, 'a request has few enough odd members for one answer')
  for (const array of arrays) {
    const refused = new Set(answer.errors?.filter((one) => one.input_array === array).map(({ index }) => index))
    const sent = lists[array] ?? []
    assert.equal(answer[`${array}_processed`] ?? 0, sent.length - refused.size, JSON.stringify(answer))
    for (const [index, { program }] of sent.entries()) {
      if (refused.has(index)) continue
      const members = answer.notices?.filter((one) => one.input_array === array && one.index === index) ?? []
      expected.get(program)!.take(array, body[array][index] as Item, namedBy(members.map(({ member }) => member)))
    }
  }
}

const memberCharactersMax = 255

function namedBy(members: readonly string[]): Named {
  return (member) => {
    const cut = member.slice(0, memberCharactersMax)
    return members.some((one) => one === cut || one.startsWith(`${member}.`) || one.startsWith(`${member}[`))
  }
}

/** Returns every person of the workspace by each identifier. */
async function readPeople(service: Service): Promise<ReadonlyMap<string, Shown>> {
  const lines = new Map<string, Item[]>()
  for (let next: string | null = ''; next !== null; ) {
    const { status, text } = await service.get(`/admin/people?after=${next}`, { key: service.adminToken })
    assert.equal(status, 200, text)
    const page = parse(text) as { lines: readonly { person?: string }[]; next: string | null }
    for (const { person, ...line } of page.lines) {
      if (person !== undefined) lines.set(person, [...(lines.get(person) ?? []), line])
    }
    next = page.next
  }
  return new Map(
    [...lines.values()].flatMap((own) => {
      const rows = (member: string) => own.flatMap((line) => (line[member] ?? []) as Item[])
      const profile = Object.assign({}, ...rows('profile')) as Item
      const shown: Shown = {
        profile,
        custom: Object.assign({}, ...rows('custom_attributes')),
        groups: rows('groups'),
        push_tokens: rows('push_tokens'),
        events: rows('events'),
        purchases: rows('purchases'),
      }
      const names = [profile.external_id, profile.email, profile.phone, ...rows('aliases').map((one) => one.alias_name)]
      return names.filter((name) => name !== undefined).map((name): [string, Shown] => [String(name), shown])
    }),
  )
}

function judge(expected: Crowd, people: ReadonlyMap<string, Shown>): void {
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
