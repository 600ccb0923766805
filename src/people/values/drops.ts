import { arrayItemsMax, charactersMax, holdsNull, holdsUnsafeKey, long, nestedBytesMax, oddKey } from './values.ts'

// Reasons why a value of an accepted object is not kept as sent. Each is the rest of a sentence that begins with the member.
export const notAName = `is not the name of an attribute: a name has 1 to ${charactersMax} characters`
export const unsafeName = 'is not the name of an attribute: this name is not allowed'
export const longText = `is longer than ${charactersMax} characters`
export const moreBytes = `has more than ${nestedBytesMax} bytes`
export const moreItems = `has more than ${arrayItemsMax} items`
export const repeatedItems = 'has equal items: only the last of them is kept'
export const unsafeKeys = 'has keys __proto__ or constructor: they are left out'
export const notAnInstruction = 'is an instruction with a value that it does not take'
const nestedNull = 'has a null inside'
const nestedKey = 'has a key that is empty or has a space, a dot or a dollar sign, or a $time that is not a date'

/** Returns why a nested value is not kept, or not as it was sent; `facts` are the results of `inspect`. */
export function dropOf(facts: number): string | undefined {
  if (facts & long) return `has a text or key of more than ${charactersMax} characters`
  if (facts & holdsNull) return nestedNull
  if (facts & oddKey) return nestedKey
  return facts & holdsUnsafeKey ? unsafeKeys : undefined
}
