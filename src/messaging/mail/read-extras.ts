import { invalid } from '../../base/errors.ts'
import { isStorableNumber } from '../../base/exact-number.ts'
import { isAbsent } from '../../content/texts/fields.ts'
import { isUnsafeKey } from '../../people/values/values.ts'
import { readObject, readText } from './read-text.ts'

/** The size of all extras together as JSON. */
export const extrasBytesMax = 10_000
const nameCharactersMax = 255

type Extras = Readonly<Record<string, unknown>>

/** Reads the arguments that are passed on to the mail provider. Throws a 400 that begins with `at`. */
export function readExtras(value: unknown, at: string): Extras | undefined {
  if (isAbsent(value)) return undefined
  const given = readObject(value, at, 'an object of texts, numbers or booleans')
  const extras = Object.entries(given).flatMap(([name, one]) => {
    readText(name, `each name in ${at}`, { charactersMax: nameCharactersMax, oneLine: true })
    if (name === '' || isUnsafeKey(name)) throw invalid(`each name in ${at} must not be ${JSON.stringify(name)}`)
    return isAbsent(one) ? [] : [[name, readExtra(one, `${at}.${name}`)] as const]
  })
  const read = Object.fromEntries(extras)
  if (Buffer.byteLength(JSON.stringify(read)) > extrasBytesMax) {
    throw invalid(`${at} must be at most ${extrasBytesMax} bytes as JSON`)
  }
  return read
}

function readExtra(value: unknown, at: string): unknown {
  if (isStorableNumber(value) || typeof value === 'boolean') return value
  if (typeof value === 'object') throw invalid(`${at} must be a text, a number or a boolean`)
  return readText(value, at, { liquid: true })
}
