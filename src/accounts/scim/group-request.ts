import type { ScimFilter } from './filter.ts'
import type { ScimObject } from './filter-match.ts'
import { type PatchOperation, readOperation, readOperations } from './patch.ts'
import type { Verb } from './patch-change.ts'
import { parsePatchPath } from './patch-path.ts'
import { findAttribute, groupResource, groupSchema } from './schema.ts'
import { checkSchemas, findProperty, isScimObject, readAttributeValue, type ScimMistake } from './values.ts'

/** Members that one request may name. */
export const groupMembersMax = 10_000
/** Operations of one PATCH of a group: some providers send one for each member. */
export const groupOperationsMax = 1_000

/** What a request wants of a group. Absent: it stays. */
export type GroupChange = {
  displayName?: string
  /** Null erases it. */
  externalId?: string | null
  members: MemberChange
}

/** Ids of users. With `isReplaced`, everybody else is a member no more. */
export type MemberChange = { isReplaced: boolean; readonly added: Set<string>; readonly removed: Set<string> }

type ReadChange = { change: GroupChange } | { mistake: ScimMistake }

const changeable = ['displayName', 'externalId', 'members'] as const
type Changeable = (typeof changeable)[number]

/** Reads the body of a POST or a PUT. */
export function readGroup(body: unknown): ReadChange {
  if (!isScimObject(body)) return { mistake: mistakeOf('invalidSyntax', 'The body must be a JSON object') }
  const reading = new GroupReading()
  const mistake = checkSchemas(body, groupSchema) ?? reading.setAll('replace', body)
  return mistake ? { mistake } : { change: reading.change }
}

/** Reads a PATCH, in the dialects of the common identity providers. Attributes that are not stored are ignored. */
export function readGroupPatch(body: unknown): ReadChange {
  const read = readOperations(body, groupOperationsMax)
  if ('mistake' in read) return read
  const reading = new GroupReading()
  for (const [i, given] of read.operations.entries()) {
    const operation = readOperation(given, i)
    const mistake = 'mistake' in operation ? operation.mistake : reading.apply(operation)
    if (mistake) return { mistake }
  }
  return { change: reading.change }
}

/** Folds operations, one after the other, into one change. A mistake refuses the request. */
class GroupReading {
  readonly change: GroupChange = { members: { isReplaced: false, added: new Set(), removed: new Set() } }
  private named = 0

  apply({ verb, path, value }: PatchOperation): ScimMistake | undefined {
    if (path === undefined) {
      if (verb === 'remove') return mistakeOf('noTarget', 'remove needs a path')
      if (isScimObject(value)) return this.setAll(verb, value)
      return mistakeOf('invalidValue', `${verb} without a path needs an object as its value`)
    }
    const target = parsePatchPath(path, groupResource)
    if ('mistake' in target) return target.mistake
    if ('isNotStored' in target || 'isSchema' in target) return undefined
    const [{ attribute, selection }, next] = target.steps
    const name = changeable.find((each) => each === attribute.name)
    if (name === undefined) return mistakeOf('mutability', `${attribute.name} cannot be changed`)
    if (name !== 'members') return this.set(verb, name, verb === 'remove' ? null : value)
    if (next !== undefined) return mistakeOf('invalidPath', 'A member is added and removed as a whole')
    if (selection === undefined) return this.set(verb, name, value)
    const ids = selectedIds(selection)
    if (verb === 'remove' && ids !== undefined) return this.setMembers(verb, ids)
    return mistakeOf('invalidPath', 'Members are selected to be removed, by members[value eq "..."]')
  }

  setAll(verb: Verb, given: ScimObject): ScimMistake | undefined {
    for (const name of changeable) {
      const value = findProperty(given, name)
      const mistake = value === undefined ? undefined : this.set(verb, name, value)
      if (mistake) return mistake
    }
    return undefined
  }

  /** Sets an attribute; null or empty text erases it. A removal of members without values removes all. */
  private set(verb: Verb, name: Changeable, given: unknown): ScimMistake | undefined {
    if (name === 'members' && (given === null || (given === undefined && verb === 'remove'))) {
      return this.setMembers('replace', [])
    }
    const { value, mistake } = readAttributeValue(findAttribute(groupResource, name)!, given, name)
    if (mistake) return mistake
    if (name === 'members') return this.setMembers(verb, ((value ?? []) as { value: string }[]).map(idOf))
    if (name === 'externalId') this.change.externalId = (value as string | undefined) ?? null
    else if (value === undefined) return mistakeOf('invalidValue', 'displayName is required')
    else this.change.displayName = value as string
    return undefined
  }

  private setMembers(verb: Verb, ids: readonly string[]): ScimMistake | undefined {
    this.named += ids.length
    if (this.named > groupMembersMax) {
      return mistakeOf('tooMany', `A request names at most ${groupMembersMax} members: send several`)
    }
    const { members } = this.change
    if (verb === 'replace') {
      members.isReplaced = true
      members.added.clear()
      members.removed.clear()
    }
    const [into, from] = verb === 'remove' ? [members.removed, members.added] : [members.added, members.removed]
    for (const id of ids) {
      into.add(id)
      from.delete(id)
    }
    return undefined
  }
}

function idOf({ value }: { readonly value: string }): string {
  return value
}

/** Returns the ids of `value eq "a" or value eq "b"`; undefined for any other selection. */
export function selectedIds(filter: ScimFilter): string[] | undefined {
  if ('any' in filter) {
    const parts = filter.any.map(selectedIds)
    return parts.every((ids) => ids !== undefined) ? parts.flat() : undefined
  }
  const isEquality = 'path' in filter && filter.path === 'value' && filter.operator === 'eq'
  return isEquality && typeof filter.value === 'string' ? [filter.value] : undefined
}

function mistakeOf(scimType: ScimMistake['scimType'], detail: string): ScimMistake {
  return { scimType, detail }
}
