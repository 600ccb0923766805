import type { Call } from '../../base/call.ts'
import { bucketCount } from '../../base/db/buckets.ts'
import { invalid } from '../../base/errors.ts'
import { readNonEmpty, readSingle } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { parseJson } from '../../base/parse-json.ts'
import { kept } from '../../base/work/kept.ts'
import { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { findAttributeNames } from '../../people/profile/attribute-name-store.ts'
import { typeBits } from '../../people/profile/attribute-types.ts'
import { isCleanText, isLong } from '../../people/values/values.ts'
import { findNames } from '../../workspace/names/name-store.ts'
import { weightMax } from '../conditions/load-facts-store.ts'
import { longQuery } from '../conditions/select-people.ts'
import { findLimit, type PeopleRange } from '../conditions/select-people-store.ts'
import { examplesMax, type ListedName, type NameKind, type NamesReply, nameKinds, namesMax } from './names-schema.ts'
import {
  countRange,
  listNamesFrom,
  type SampledName,
  sampleAttributes,
  sampleHistory,
  sampleProperties,
} from './names-store.ts'

/** People whose names and values are read, and for how long an answer is kept. */
const sampledPeopleMax = 5_000
const keptMs = 60_000
const answersMax = 1_000

type Asked = { readonly kind: NameKind; readonly of: string | undefined; readonly prefix: string }

/** Lists names for an administrator (`GET /admin/names`). */
export type NameLister = (call: Call, workspace_id: number, request: Request) => Promise<NamesReply>

/** Returns a lister that keeps each answer for a minute. */
export function openNames(): NameLister {
  const answers = kept<NamesReply>(keptMs, answersMax)
  const turns = new KeyedMutex()
  return async (call, workspace_id, { query, may }) => {
    const asked = readQuestion(query)
    const key = JSON.stringify([workspace_id, asked.kind, asked.of, asked.prefix])
    // While a name is typed, each letter asks: a workspace has its answers one after the other.
    const list = () => turns.run(String(workspace_id), () => listNames(call, workspace_id, asked))
    const { names, at } = await answers(key, call.clock.elapsed(), list)
    if (may === undefined || may('people.read')) return { names, at }
    return { names: names.map((name) => ({ ...name, examples: [] })), at }
  }
}

async function listNames({ db, clock }: Call, workspace_id: number, asked: Asked): Promise<NamesReply> {
  const at = new Date(clock.now()).toISOString()
  const names = await longQuery(db, async (tx) => {
    const whole = { buckets: { from: 0, below: bucketCount } }
    const limit = { people: sampledPeopleMax, weight: weightMax }
    // The people of the first buckets are a random sample, because a bucket is a hash.
    const last = await findLimit(tx, workspace_id, whole, limit, asked.kind === 'attribute')
    if (last === null) return []
    const range: PeopleRange = last ? { buckets: { from: 0, below: last.bucket + 1 }, last } : whole
    const people = await countRange(tx, workspace_id, range)
    const question = { prefix: asked.prefix, limit: namesMax, examples: examplesMax }
    const { kind, of } = asked
    if (kind === 'property') {
      const [event] = await findNames(tx, workspace_id, 'event', [of!])
      if (!event) return []
      const found = await sampleProperties(tx, workspace_id, range, event.name_id, question)
      return found.map((each) => listed(each, people, each.types))
    }
    if (kind === 'attribute') {
      const found = await sampleAttributes(tx, workspace_id, range, question)
      const all = await withOthers(found, () => listNamesFrom(tx, workspace_id, kind, question))
      const known = await findAttributeNames(
        tx,
        workspace_id,
        all.map(({ name }) => name),
      )
      const types = new Map(known.map((row) => [row.name, typeWords(row.types)]))
      return all.map((each) => listed(each, people, types.get(each.name) ?? each.types))
    }
    const listedKind = kind === 'event' ? 'event' : 'product'
    const found = await sampleHistory(tx, workspace_id, range, listedKind, question)
    const all = await withOthers(found, () => listNamesFrom(tx, workspace_id, listedKind, question))
    return all.map((each) => listed(each, people, []))
  })
  return { names, at }
}

/** Adds names that nobody in the sample has, as far as there is room. */
async function withOthers(found: readonly SampledName[], list: () => Promise<string[]>): Promise<SampledName[]> {
  if (found.length === namesMax) return [...found]
  const there = new Set(found.map(({ name }) => name))
  const others = (await list()).filter((name) => !there.has(name))
  return [...found, ...others.map((name) => ({ name, people: 0, types: [], examples: [] }))].slice(0, namesMax)
}

function listed({ name, people, examples }: SampledName, sampled: number, types: readonly string[]): ListedName {
  return {
    name,
    types: [...types].sort(),
    share: people / sampled,
    examples: examples.map((text) => parseJson(text) as Example),
  }
}

type Example = ListedName['examples'][number]

/** Returns the types of an attribute in the words of JSON. A time is a text. Pure. */
function typeWords(types: number): string[] {
  const words = [
    [typeBits.boolean, 'boolean'],
    [typeBits.number, 'number'],
    [typeBits.string, 'string'],
    [typeBits.time, 'time'],
    [typeBits.array | typeBits.objectArray, 'array'],
    [typeBits.object, 'object'],
  ] as const
  return words.filter(([bits]) => types & bits).map(([, word]) => word)
}

function readQuestion(query: Request['query']): Asked {
  const given = readNonEmpty(query, 'kind')
  const kind = nameKinds.find((each) => each === given)
  if (!kind) throw invalid(`'kind' must be one of ${nameKinds.join(', ')}`)
  const of = readName(query, 'of')
  if (kind === 'property' && of === undefined) throw invalid("'of' must be the name of an event")
  if (kind !== 'property' && of !== undefined) throw invalid("'of' is only for the kind property")
  return { kind, of, prefix: (readName(query, 'prefix') ?? '').toLowerCase() }
}

function readName(query: Request['query'], name: string): string | undefined {
  const text = readSingle(query, name)
  if (text === undefined || text === '') return undefined
  if (isLong(text) || !isCleanText(text)) throw invalid(`'${name}' must be at most 255 characters without NUL`)
  return text
}
