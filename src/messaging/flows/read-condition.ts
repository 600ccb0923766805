import {
  outlineSegment,
  segmentIdsIn,
  tryParseSegment,
  unknownSegments,
} from '../../audience/conditions/parse-condition.ts'
import { type Members, membersOf, readName, wrong } from '../../audience/conditions/parse-members.ts'
import { isObject } from '../../people/values/values.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import type { Condition } from './flow.ts'
import { type FlowReading, isGiven } from './read-values.ts'

const unknownSegment = 'names a segment that does not exist'

/** Reads `segment` or `audience`: a tree, or `{segment_id}` with the id or name of a stored segment. Undefined when neither is given. */
export function readCondition(reading: FlowReading, members: Members): Condition | undefined {
  const [name, other] = ['segment', 'audience'].filter((each) => isGiven(members, each))
  if (name === undefined) return undefined
  if (other !== undefined) return wrong(reading, members.path, 'must have segment or audience, not both')
  const path = joinPath(members.path, name)
  const given = members.value[name]
  return isObject(given) && 'segment_id' in given ? readStored(reading, given, path) : readTree(reading, given, path)
}

/** Reads `segment` or `audience` where one of them is required. */
export function requireCondition(reading: FlowReading, members: Members): Condition {
  const read = readCondition(reading, members)
  const isAbsent = !isGiven(members, 'segment') && !isGiven(members, 'audience')
  if (isAbsent) wrong(reading, joinPath(members.path, 'audience'), 'is missing; it must be a tree of conditions')
  return read ?? { audience: null }
}

function readStored(reading: FlowReading, given: unknown, path: string): Condition | undefined {
  const members = membersOf(reading, given, path, ['segment_id'])
  if (!members) return undefined
  const at = joinPath(path, 'segment_id')
  const segment_id = readName(reading, members.value.segment_id, at)
  if (segment_id === undefined) return undefined
  if (!reading.context.hasSegment(segment_id))
    return wrong(reading, at, `${unknownSegment}: ${JSON.stringify(segment_id)}`)
  return { segment_id }
}

function readTree(reading: FlowReading, given: unknown, path: string): Condition | undefined {
  if (reading.all) return readWholeTree(reading, given, path)
  const parsed = tryParseSegment(given, path, reading.context.patternMax)
  if ('mistake' in parsed) return wrong(reading, parsed.mistake.path, parsed.mistake.message)
  const missing = segmentIdsIn(parsed.tree).find((idOrName) => !reading.context.hasSegment(idOrName))
  if (missing !== undefined) return wrong(reading, path, `${unknownSegment}: ${JSON.stringify(missing)}`)
  return { audience: given }
}

/** Reads a tree with all its mistakes. */
function readWholeTree(reading: FlowReading, given: unknown, path: string): Condition | undefined {
  const { tree, parts, mistakes } = outlineSegment(given, path, reading.context.patternMax)
  const all = [...mistakes, ...unknownSegments(parts, reading.context.hasSegment)]
  for (const { path: at, message } of all) wrong(reading, at, message)
  return tree && { audience: given }
}
