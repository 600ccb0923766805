import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { isObject } from '../../people/values/values.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { describeTree } from '../conditions/sentence.ts'
import { sampleDefault } from '../segments/people-schema.ts'
import { type SegmentPeopleServices, sampleTree } from '../segments/segment-people.ts'
import { readWho, whyTree } from '../segments/why-in-segment.ts'
import { loadWording } from '../segments/wording.ts'
import { readAudience } from './read-audience.ts'

type Owner = Pick<WorkspaceRow, 'workspace_id' | 'settings'>

/** Lists a sample of the people that conditions select, as `/admin/segments/{id}/sample` does. */
export async function sampleAudience(call: Call, owner: Owner, body: unknown, services: SegmentPeopleServices) {
  const { tree } = await readAudience(call, owner, body)
  return sampleTree(call, owner.workspace_id, tree, { limit: sampleDefault, seed: readSeed(body) }, services)
}

const seedMax = 999_999_999

function readSeed(body: unknown): number {
  const { seed = 0 } = body as { seed?: unknown }
  if (Number.isInteger(seed) && (seed as number) >= 0 && (seed as number) <= seedMax) return seed as number
  throw invalid("'seed' must be a whole number of at most 9 digits")
}

/** Explains whether conditions select a person, as `/admin/segments/{id}/why` does. */
export async function whyAudience(call: Call, owner: Owner, body: unknown, services: SegmentPeopleServices) {
  const { tree } = await readAudience(call, owner, body)
  const who = readWho(toQuery((body as { person?: unknown }).person), services)
  const wording = await loadWording(call.db, owner)
  const subject = { tree, wording, called: 'this audience' }
  return { words: describeTree(tree, wording), ...(await whyTree(call, owner.workspace_id, subject, who, services)) }
}

/** Turns the `person` of a body into the query of `/admin/segments/{id}/why`. */
function toQuery(person: unknown): Query {
  if (typeof person === 'string') return { person: [person] }
  if (!isObject(person)) throw invalid("'person' must be the id of a person, or an object with one identifier")
  return Object.fromEntries(
    Object.entries(person).map(([name, value]) => {
      if (typeof value !== 'string') throw invalid(`'person.${name.slice(0, nameMax)}' must be text`)
      return [name, [value]]
    }),
  )
}

/** Characters of an unknown member that a message repeats. */
const nameMax = 60
