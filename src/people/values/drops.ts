import { arrayItemsMax, charactersMax, holdsUnsafeKey, long, nestedBytesMax, oddKey } from './values.ts'

// Reasons why a value of an accepted object is not kept as sent. Each is the rest of a sentence that begins with the member.
export const notAName = `is not the name of an attribute: a name has 1 to ${charactersMax} characters`
export const unsafeName = 'is not the name of an attribute: this name is not allowed'
export const blocklisted = 'is blocklisted: it was not stored'
export const longText = `is longer than ${charactersMax} characters`
export const moreBytes = `has more than ${nestedBytesMax} bytes`
export const moreItems = `has more than ${arrayItemsMax} items`
export const repeatedItems = 'has equal items: only the last of them is kept'
export const unsafeKeys = 'has keys __proto__ or constructor: they are left out'
export const notAnInstruction = 'is an instruction with a value that it does not take'
const nestedKey = 'has a key that is empty or has a space, a dot or a dollar sign, or a $time that is not a date'

export const notANumber = 'is not a number: nothing was added to it'
export const largeSum = 'would be larger than any double: nothing was added to it'
export const notAList = 'is not a list: it was not changed'
export const nothingToUpdate = 'has no object that $update selects'
export const oldestItems = `would have more than ${arrayItemsMax} items: the oldest were dropped`
export const reservedPrefix = 'begins with an underscore: such members are not stored'
export const notMerged = 'is not true or false: objects were not merged'
export const exportedName = 'is the name of an exported field: it was not stored'
export const ofAlias = 'belongs into user_alias: it was not stored'
export const notInUse = 'is not in use: it was not stored'
export const onlyImported = 'was not stored: an object with push_token_import has only tokens'
export const archivedGroup = 'has an archived group: its state did not change'
export const notAFlag = 'has a notifications_enabled that is not true or false: true was stored'
export const noDoubleOptIn = 'has use_double_opt_in_logic: there is no double opt-in'

/** Returns why a value of another type or form is not stored. */
export function notStored(expected: string): string {
  return `is not ${expected}: it was not stored`
}

/** The most names or paths in one reason. */
export const namesMax = 5

/** Returns why some members of objects are not stored; undefined when all are known. */
export function unknownMembers(objects: readonly object[], known: ReadonlySet<string>): string | undefined {
  let names: Set<string> | undefined
  for (const object of objects) {
    for (const name in object) if (!known.has(name)) names = (names ?? new Set()).add(name)
  }
  if (names === undefined) return undefined
  const listed = [...names]
  const further = listed.length > namesMax ? ', ...' : ''
  return `has members that are not stored: ${listed.slice(0, namesMax).map(cut).join(', ')}${further}`
}

/** Returns a name of the caller as a reason may have it. */
export function cut(name: string): string {
  return name.slice(0, charactersMax).toWellFormed().replaceAll('\u0000', '\ufffd')
}

/**
 * Returns why a nested value is not kept, or not as it was sent; `facts` are the results of `inspect`. `dropOfNulls` has the reasons of
 * nulls.
 */
export function dropOf(facts: number): string | undefined {
  if (facts & long) return `has a text or key of more than ${charactersMax} characters`
  if (facts & oddKey) return nestedKey
  return facts & holdsUnsafeKey ? unsafeKeys : undefined
}
