import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** Returns whether a number in E.164 can exist: its country is known and its length is one of that country. */
export function isPossibleNumber(e164: string): boolean {
  return parsePhoneNumberFromString(e164)?.isPossible() ?? false
}

/** Returns the calling code of a number in E.164, such as `+49`; the number itself when its country is not known. */
export function callingCodeOf(e164: string): string {
  const code = parsePhoneNumberFromString(e164)?.countryCallingCode
  return code === undefined ? e164 : `+${code}`
}
