import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toCountryCode } from '../../src/people/values/countries.ts'
import { toCurrencyCode } from '../../src/people/values/currencies.ts'
import { toLanguageCode } from '../../src/people/values/languages.ts'
import { toTimeZone } from '../../src/people/values/time-zones.ts'

describe('countries', () => {
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

describe('languages', () => {
  test('a language tag becomes its language', () => {
    for (const tag of ['en', 'EN', 'en-GB', 'en_US', 'en-Latn-US']) assert.equal(toLanguageCode(tag), 'en', tag)
    assert.equal(toLanguageCode('iw'), 'he')
    for (const tag of ['', 'e', 'xx', 'eng', 'english', '__']) assert.equal(toLanguageCode(tag), undefined, tag)
  })
})

describe('time zones', () => {
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
