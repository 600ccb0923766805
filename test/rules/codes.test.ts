import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import currencies from 'currency-codes'
import countries from 'i18n-iso-countries'
import languages from 'iso-639-1'
import { toCountryCode } from '../../src/people/values/countries.ts'
import { toCurrencyCode } from '../../src/people/values/currencies.ts'
import { toLanguageCode } from '../../src/people/values/languages.ts'
import { toTimeZone } from '../../src/people/values/time-zones.ts'

/** Returns all texts of so many letters. */
function words(letters: string, length: number): string[] {
  return length === 0 ? [''] : words(letters, length - 1).flatMap((word) => [...letters].map((letter) => word + letter))
}
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

describe('countries', () => {
  test('codes and names are those of a kept list', () => {
    for (const [alpha2, alpha3] of Object.entries(countries.getAlpha2Codes())) {
      assert.equal(toCountryCode(alpha2), alpha2)
      // The list has a code of its own for Kosovo, for which the World Bank and others use XKX.
      assert.equal(toCountryCode(alpha2 === 'XK' ? 'XKX' : alpha3), alpha2)
    }
    for (const [alpha2, names] of Object.entries(countries.getNames('en', { select: 'all' }))) {
      // The list has this name for both.
      for (const name of names) if (name !== 'Congo') assert.equal(toCountryCode(name), alpha2, name)
    }
    const own = words(capitals, 2).filter((code) => toCountryCode(code) === code)
    assert.deepEqual(own, Object.keys(countries.getAlpha2Codes()).sort())
  })

  const spellings: Readonly<Record<string, readonly string[]>> = {
    AU: ['AU', 'au', 'AUS', 'Australia', 'AUSTRALIA'],
    US: ['US', 'usa', 'USA', 'U.S.A.', 'United States', 'United States of America', 'the united states'],
    GB: ['GB', 'GBR', 'UK', 'U.K.', 'United Kingdom', 'Great Britain'],
    CI: ["Côte d'Ivoire", "Cote d'Ivoire", 'Côte d’Ivoire', 'Ivory Coast'],
    CZ: ['Czechia', 'Czech Republic'],
    KR: ['South Korea', 'Korea, Republic of'],
    KP: ['North Korea'],
    LC: ['Saint Lucia', 'St. Lucia', 'St Lucia'],
    BA: ['Bosnia & Herzegovina', 'Bosnia and Herzegovina'],
    TR: ['Türkiye', 'Turkey', 'TUR'],
    CD: ['Congo - Kinshasa', 'Democratic Republic of the Congo'],
  }
  for (const [code, texts] of Object.entries(spellings)) {
    test(`${code} is read from ${texts.length} spellings`, () => {
      for (const text of texts) assert.equal(toCountryCode(text), code, text)
    })
  }

  test('an unknown country has no code', () => {
    for (const text of ['', 'XX', 'ZZZ', 'Atlantis', '??', 'EU', 'constructor'])
      assert.equal(toCountryCode(text), undefined, text)
  })
})

describe('currencies', () => {
  test('codes are those of a kept list, but for changes after its date', () => {
    const own = words(capitals, 3).filter((code) => toCurrencyCode(code) === code)
    const withdrawn = ['ANG', 'CUC']
    const added = ['XAD', 'XCG']
    const listed = currencies.codes()
    assert.deepEqual(own, [...listed.filter((code) => !withdrawn.includes(code)), ...added].sort())
  })
})

describe('languages', () => {
  test('codes are those of a kept list, and Serbo-Croatian', () => {
    const own = words(capitals.toLowerCase(), 2).filter((code) => toLanguageCode(code) === code)
    assert.deepEqual(own, [...languages.getAllCodes(), 'sh'].sort())
  })

  test('a language tag becomes its language', () => {
    for (const tag of ['en', 'EN', 'en-GB', 'en_US', 'en-Latn-US']) assert.equal(toLanguageCode(tag), 'en', tag)
    assert.equal(toLanguageCode('iw'), 'he')
    for (const tag of ['', 'e', 'xx', 'eng', 'english', '__']) assert.equal(toLanguageCode(tag), undefined, tag)
  })
})

describe('time zones', () => {
  test('names are those of the IANA database, but for its placeholder', () => {
    const { zones } = createRequire(import.meta.url)('tzdata') as { zones: Readonly<Record<string, unknown>> }
    const unknown = Object.keys(zones).filter((name) => toTimeZone(name) !== name)
    assert.deepEqual(unknown, ['Factory'])
  })

  test('IANA names are accepted in any case, also those that the runtime does not list', () => {
    assert.equal(toTimeZone('Europe/Berlin'), 'Europe/Berlin')
    assert.equal(toTimeZone('europe/berlin'), 'Europe/Berlin')
    for (const name of [
      'UTC',
      'Asia/Kolkata',
      'Asia/Calcutta',
      'Europe/Kyiv',
      'US/Eastern',
      'Etc/GMT+5',
      'America/Nuuk',
    ]) {
      assert.equal(toTimeZone(name), name)
    }
  })

  test('names of Rails become IANA names', () => {
    assert.equal(toTimeZone('Eastern Time (US & Canada)'), 'America/New_York')
    assert.equal(toTimeZone('Tokyo'), 'Asia/Tokyo')
    assert.equal(toTimeZone("Nuku'alofa"), 'Pacific/Tongatapu')
  })

  test('every accepted name is a time zone of the runtime', () => {
    const rails = [
      'Hawaii',
      'Midway Island',
      'International Date Line West',
      'Greenland',
      'Rangoon',
      'Kyiv',
      'Samoa',
      'Astana',
    ]
    for (const name of [
      ...rails,
      ...Intl.supportedValuesOf('timeZone'),
      'EST5EDT',
      'W-SU',
      'GB-Eire',
      'Antarctica/South_Pole',
    ]) {
      const zone = toTimeZone(name)
      assert.ok(zone, name)
      assert.ok(Temporal.Instant.from('2026-01-01T00:00:00Z').toZonedDateTimeISO(zone))
    }
    for (const name of ['', 'EST5', 'Mars/Olympus', '+02:00', 'constructor'])
      assert.equal(toTimeZone(name), undefined, name)
  })
})

describe('currencies', () => {
  test('codes in use are read in any case', () => {
    for (const code of ['USD', 'EUR', 'JPY', 'CAD', 'NOK', 'ZWG', 'XCG', 'VES', 'XAU', 'CHE']) {
      assert.equal(toCurrencyCode(code), code)
      assert.equal(toCurrencyCode(code.toLowerCase()), code)
    }
    for (const text of ['', 'test', 'US', 'USDX', 'DEM', 'HRK', 'ANG', 'BTC'])
      assert.equal(toCurrencyCode(text), undefined, text)
  })
})
