import { invalid } from '../../base/errors.ts'
import {
  type Identifier,
  identifierOrThrow,
  isGiven,
  readAlias,
  readEmail,
  readExternalId,
  readPhone,
} from '../identity/identifier.ts'
import { type Priority, priorities } from '../identity/prioritization.ts'
import { isObject } from '../values/values.ts'
import { badPrioritization } from './request-schema.ts'
import type { Selector } from './work-schema.ts'

/** An object of a request that selects a person. */
export type SelectorObject = Readonly<Record<string, unknown>>

type Reader = {
  /** Checks the type of the member only. */
  fits(value: unknown): boolean
  read(value: unknown, suspicious: boolean): Identifier | string
}

const isText = (value: unknown) => typeof value === 'string'

const readers = {
  external_id: { fits: isText, read: readExternalId },
  user_alias: { fits: isObject, read: readAlias },
  email: { fits: isText, read: readEmail },
  phone: { fits: isText, read: readPhone },
} as const satisfies Record<string, Reader>

export type SelectorKind = keyof typeof readers

/** Returns the kinds of identifier that an object has, and whether each has the right type. */
export function kindsIn(item: SelectorObject): { kind: SelectorKind; fits: boolean }[] {
  const kinds = Object.entries(readers) as [SelectorKind, Reader][]
  return kinds.filter(([kind]) => isGiven(item[kind])).map(([kind, { fits }]) => ({ kind, fits: fits(item[kind]) }))
}

/** Reads the selector in the member of that kind. Throws 400. */
export function readSelector(
  item: SelectorObject,
  kind: SelectorKind,
  prioritization: readonly Priority[] | undefined,
  suspicious: boolean,
): Selector {
  if (!isGiven(item[kind])) throw invalid(`'${kind}' is required`)
  const identifier = identifierOrThrow(readers[kind].read(item[kind], suspicious))
  return prioritization ? { ...identifier, prioritization } : identifier
}

/**
 * Reads `prioritization`. An address requires it. With another identifier it is ignored, but must be valid. `path` is prefixed to its name
 * in the error. Throws 400.
 */
export function readPrioritization(
  { prioritization }: SelectorObject,
  kind: SelectorKind,
  path = '',
): readonly Priority[] | undefined {
  const needed = kind === 'email' || kind === 'phone'
  if (!needed && (prioritization === undefined || prioritization === null)) return undefined
  const given = Array.isArray(prioritization) ? prioritization : []
  const known = given.filter((each): each is Priority => priorities.includes(each))
  const opposed = known.includes('identified') && known.includes('unidentified')
  const repeated = new Set(known).size < known.length
  if (known.length === 0 || known.length < given.length || opposed || repeated) throw invalid(badPrioritization(path))
  return needed ? known : undefined
}
