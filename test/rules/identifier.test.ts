import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aliasIdentifier,
  aliasParts,
  type Identifier,
  readIdentifier,
  toE164,
  toEmail,
} from '../../src/people/identity/identifier.ts'
import { identifierWords } from '../../src/people/values/refusals.ts'

const words = identifierWords('service')
const onlyOne = "You must specify only one of 'external_id', 'user_alias' or 'service_id'"
const required = "'external_id', 'service_id', 'user_alias', 'email' or 'phone' is required"
const tooLong = "'external_id' must be fewer than 988 bytes"
const badEmail = "The value provided for the 'email' field is not a valid email."

function read(object: Record<string, unknown>, suspicious = false): Identifier | string {
  return readIdentifier(object, words, suspicious)
}

const user_alias = { alias_name: 'n', alias_label: 'l' }
const service_id = '5eea769d45bb2e1467418f92'

describe('identifiers', () => {
  test('each kind is read and normalised', () => {
    assert.deepEqual(read({ external_id: 'Ünï ' }), { kind: 'external_id', value: 'Ünï ' })
    assert.deepEqual(read({ external_id: 12345 }), { kind: 'external_id', value: '12345' })
    assert.deepEqual(read({ user_alias }), { kind: 'alias', value: 'l\u001fn' })
    assert.deepEqual(read({ service_id: '5EEA769D45BB2E1467418F92' }), { kind: 'service_id', value: service_id })
    assert.deepEqual(read({ email: 'Jane@Example.COM' }), { kind: 'email', value: 'jane@example.com' })
    assert.deepEqual(read({ phone: '+1 (555) 123-4567' }), { kind: 'phone', value: '+15551234567' })
  })

  test('an object with two of external_id, alias and service_id is refused', () => {
    assert.equal(read({ external_id: 'a', user_alias }), onlyOne)
    assert.equal(read({ external_id: 'a', service_id }), onlyOne)
    assert.equal(read({ user_alias, service_id }), onlyOne)
    assert.equal(read({ external_id: 'a', user_alias, service_id, email: 'a@b.c' }), onlyOne)
  })

  test('an address identifies when nothing before it does, e-mail before phone', () => {
    assert.deepEqual(read({ external_id: 'a', email: 'no address', phone: 'x' }), { kind: 'external_id', value: 'a' })
    assert.deepEqual(read({ email: 'a@b.c', phone: '+15551234567' }), { kind: 'email', value: 'a@b.c' })
    assert.deepEqual(read({ email: null, phone: '+15551234567' }), { kind: 'phone', value: '+15551234567' })
  })

  test('null and the empty text count as absent', () => {
    assert.equal(read({}), required)
    assert.equal(read({ external_id: null, user_alias: null, service_id: null, email: null, phone: null }), required)
    assert.equal(read({ external_id: '', service_id: '', email: '', phone: '' }), required)
    assert.deepEqual(read({ external_id: '', user_alias, service_id: null }), { kind: 'alias', value: 'l\u001fn' })
  })

  test('an external_id has at most 987 bytes', () => {
    assert.deepEqual(read({ external_id: 'a'.repeat(987) }), { kind: 'external_id', value: 'a'.repeat(987) })
    assert.equal(read({ external_id: 'a'.repeat(988) }), tooLong)
    assert.equal(typeof read({ external_id: 'ü'.repeat(493) }), 'object')
    assert.equal(read({ external_id: 'ü'.repeat(494) }), tooLong)
    assert.equal(typeof read({ external_id: '€'.repeat(329) }), 'object')
    assert.equal(read({ external_id: '€'.repeat(330) }), tooLong)
  })

  test('ids of a wrong type are not valid', () => {
    for (const external_id of [true, {}, [], ['a'], 1.5, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY]) {
      assert.equal(read({ external_id }), "'external_id' is not valid", String(external_id))
    }
    assert.deepEqual(read({ external_id: Number.MAX_SAFE_INTEGER }), { kind: 'external_id', value: '9007199254740991' })
    assert.equal(read({ service_id: {} }), "'service_id' is not valid")
    assert.equal(read({ email: 5 }), badEmail)
    assert.equal(read({ phone: 15551234567 }), "'phone' is not valid")
  })

  test('an alias needs both members', () => {
    for (const alias of [
      {},
      [],
      'a',
      1,
      { alias_name: 'n' },
      { alias_label: 'l' },
      { alias_name: '', alias_label: 'l' },
    ]) {
      assert.equal(read({ user_alias: alias }), "'user_alias' is not valid")
    }
    const long = 'a'.repeat(987)
    assert.equal(typeof read({ user_alias: { alias_name: long, alias_label: long } }), 'object')
    assert.equal(read({ user_alias: { alias_name: `${long}a`, alias_label: 'l' } }), "'user_alias' is not valid")
    assert.equal(read({ user_alias: { alias_name: 'n', alias_label: `${long}a` } }), "'user_alias' is not valid")
  })

  test('an alias splits into the label and name of which it was made', () => {
    const { value } = aliasIdentifier('label', 'name\u001fwith\u001fseparators')
    assert.deepEqual(aliasParts(value), { alias_label: 'label', alias_name: 'name\u001fwith\u001fseparators' })
    assert.equal(read({ user_alias: { alias_name: 'n', alias_label: 'l\u001fm' } }), "'user_alias' is not valid")
  })

  test('an invalid service_id matches nobody', () => {
    for (const id of [
      'x',
      'user_identifier',
      `${service_id}0`,
      service_id.slice(1),
      '72BBAA5C-B137-4895-8735-B163A34CD133',
    ]) {
      assert.deepEqual(read({ service_id: id }), { kind: 'service_id', value: '' })
    }
  })

  test('an id with NUL or a lone surrogate is refused', () => {
    assert.equal(read({ external_id: 'a\u0000' }, true), "'external_id' is not valid")
    assert.equal(read({ external_id: 'a\ud800' }, true), "'external_id' is not valid")
    assert.equal(read({ user_alias: { alias_name: '\udc00', alias_label: 'l' } }, true), "'user_alias' is not valid")
    assert.equal(read({ email: 'a\u0000@b.c' }, true), badEmail)
    assert.deepEqual(read({ external_id: '😀' }, true), { kind: 'external_id', value: '😀' })
  })

  test('the configured service name is in the name of the service_id and in texts', () => {
    const own = identifierWords('acme')
    assert.deepEqual(readIdentifier({ acme_id: service_id }, own, false), { kind: 'service_id', value: service_id })
    assert.equal(
      readIdentifier({ service_id }, own, false),
      "'external_id', 'acme_id', 'user_alias', 'email' or 'phone' is required",
    )
    assert.equal(
      readIdentifier({ external_id: 'a', acme_id: service_id }, own, false),
      "You must specify only one of 'external_id', 'user_alias' or 'acme_id'",
    )
  })
})

describe('addresses', () => {
  test('usual and unusual e-mail addresses are accepted and made lower case', () => {
    const good = [
      'a@b',
      'test@example',
      'first.last+tag@sub.example.co.uk',
      "o'neil@example.com",
      '1@2.3',
      'jürgen@müller.de',
      '用户@例子.公司',
    ]
    for (const text of good) assert.equal(toEmail(text), text)
    assert.equal(toEmail('Jane.DOE@Example.COM'), 'jane.doe@example.com')
    assert.equal(toEmail(`${'a'.repeat(64)}@b.c`), `${'a'.repeat(64)}@b.c`)
    const domain = `${'b'.repeat(63)}.`.repeat(3)
    assert.equal(toEmail(`a@${domain}${'c'.repeat(60)}`)?.length, 254)
    assert.equal(toEmail(`a@${domain}${'c'.repeat(61)}`), undefined)
  })

  test('spaces around an e-mail address are cut', () => {
    for (const text of [' a@b.c', 'a@b.c ', '\t\n a@B.C \r', '\u00a0a@b.c\u3000']) assert.equal(toEmail(text), 'a@b.c')
  })

  test('an invalid e-mail address is refused', () => {
    const bad = ['', 'test', '@b.c', 'a@', 'a@@b.c', 'a b@c.d', 'a@b c.d', 'a@-b.c', 'a@b..c', 'a@b.', 'a@.b']
    for (const text of [
      ...bad,
      '"a b"@c.d',
      'a<b@c.d',
      'a,b@c.d',
      'Jane <a@b.c>',
      `${'a'.repeat(65)}@b.c`,
      `a@${'b'.repeat(64)}.c`,
    ]) {
      assert.equal(toEmail(text), undefined, text)
    }
  })

  test('a phone number becomes E.164 after spaces, dots, hyphens and brackets are removed', () => {
    assert.equal(toE164('+1234567'), '+1234567')
    assert.equal(toE164('+123456789012345'), '+123456789012345')
    assert.equal(toE164('+49 (30) 123.456-7'), '+49301234567')
    for (const text of [
      '',
      '+123456',
      '+1234567890123456',
      '+0234567',
      '15551234567',
      '+1555abc4567',
      '+1/555/1234567',
      '++15551234567',
    ]) {
      assert.equal(toE164(text), undefined, text)
    }
    assert.equal(toE164(`+1555${' '.repeat(100)}1234567`), undefined)
  })
})
