import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'
import { toCountryCode } from '../src/people/values/countries.ts'

export type PhoneCountry = CountryCode

/** Returns the country of a code or an English name, if its phone numbers are known. */
export function phoneCountryOf(text: string): PhoneCountry | undefined {
  const code = toCountryCode(text)
  return code !== undefined && isSupportedCountry(code) ? code : undefined
}

/**
 * Returns a phone number of this country as E.164, such as `+4930123456` for `030 123456` of Germany. A number that is not possible there
 * stays as it is: the service decides about it.
 */
export function toInternational(number: string, country: PhoneCountry): string {
  const parsed = parsePhoneNumberFromString(number, country)
  return parsed?.isPossible() ? parsed.number : number
}
