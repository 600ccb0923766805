import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExactNumber } from '../../src/base/exact-number.ts'
import { Notices } from '../../src/base/http/notices.ts'
import type { Identifier } from '../../src/people/identity/identifier.ts'
import { type AttributeChange, isPlain, readAttributes } from '../../src/people/profile/attributes.ts'
import { identifierWords } from '../../src/people/values/refusals.ts'

const someone: Identifier = { kind: 'external_id', value: 'u' }
const groupId = '0f4c1d2e-0000-4000-8000-000000000001'
const archivedId = '0f4c1d2e-0000-4000-8000-000000000002'
const rules = {
  suspicious: false,
  appIds: new Set(['app']),
  groups: new Map([
    [groupId, { group_id: 1, channel: 'email' as const, archived: false }],
    [archivedId, { group_id: 2, channel: 'sms' as const, archived: true }],
  ]),
}

function read(object: Record<string, unknown>, who = someone): AttributeChange | string {
  return readAttributes(object, who, rules, identifierWords('service'), new Notices(false))
}

/** Returns the notices of an object that is accepted, each as a sentence. */
function noticesOf(object: Record<string, unknown>): string[] {
  const notices = new Notices(false)
  const change = readAttributes(object, someone, rules, identifierWords('service'), notices)
  assert.equal(typeof change, 'object', String(change))
  return (notices.members().notices ?? []).map(({ member, reason }) => `${member} ${reason}`)
}

function change(object: Record<string, unknown>, who = someone): AttributeChange {
  const result = read(object, who)
  assert.ok(typeof result !== 'string', `refused: ${result}`)
  return result
}

function standard(object: Record<string, unknown>): Record<string, unknown> | null {
  const { custom, removed, operations, standard: fields } = change(object)
  assert.deepEqual([custom, removed, operations], [null, [], []])
  return fields
}

const exportedNames = [
  ...['apps', 'attributed_campaign', 'campaigns_received', 'canvases_received', 'cards_clicked', 'created_at'],
  ...[
    'custom_attributes',
    'custom_events',
    'devices',
    'last_coordinates',
    'purchases',
    'random_bucket',
    'total_revenue',
  ],
  ...['uninstalled_at', 'user_aliases'],
]

const state = (subscription_group_id: string) => ({ subscription_group_id, subscription_state: 'subscribed' })
const token = { app_id: 'app', token: 't' }

describe('standard fields', () => {
  test('are validated and converted for their columns', () => {
    const fields = standard({
      email: 'Jane@Example.com',
      phone: '+1 555 123 4567',
      first_name: 'Jane',
      last_name: '',
      gender: 'f',
      dob: '1990-02-28',
      country: 'Australia',
      home_city: 'Perth',
      language: 'en-GB',
      time_zone: 'Eastern Time (US & Canada)',
      image_url: 'https://example.com/a.png',
      current_location: { longitude: -122.4, latitude: 37.4 },
      email_subscribe: 'opted_in',
      push_subscribe: 'unsubscribed',
      email_open_tracking_disabled: true,
      email_click_tracking_disabled: false,
      date_of_first_session: '2001-01-01T00:00:00+00:00',
      date_of_last_session: '2001-01-02',
      marked_email_as_spam_at: '2001-01-03',
      facebook: { id: 'f', likes: ['a'], num_friends: 3, other: 1 },
      twitter: { id: 7, screen_name: 's', followers_count: 1, friends_count: 'x' },
    })
    assert.deepEqual(fields, {
      email: 'jane@example.com',
      phone: '+15551234567',
      first_name: 'Jane',
      last_name: null,
      gender: 'F',
      dob: '1990-02-28',
      country: 'AU',
      home_city: 'Perth',
      language: 'en',
      time_zone: 'America/New_York',
      image_url: 'https://example.com/a.png',
      longitude: -122.4,
      latitude: 37.4,
      email_subscribe: 'opted_in',
      push_subscribe: 'unsubscribed',
      email_open_tracking_disabled: true,
      email_click_tracking_disabled: false,
      date_of_first_session: Date.UTC(2001, 0, 1) * 1000,
      date_of_last_session: Date.UTC(2001, 0, 2) * 1000,
      marked_email_as_spam_at: Date.UTC(2001, 0, 3) * 1000,
      facebook: { id: 'f', likes: ['a'], num_friends: 3 },
      twitter: { id: 7, screen_name: 's', followers_count: 1 },
    })
  })

  test('null removes removable fields', () => {
    const columns = [
      'email',
      'phone',
      'first_name',
      'last_name',
      'gender',
      'dob',
      'country',
      'home_city',
      'language',
      'time_zone',
    ]
    for (const column of [
      ...columns,
      'image_url',
      'facebook',
      'twitter',
      'date_of_first_session',
      'marked_email_as_spam_at',
    ]) {
      assert.deepEqual(standard({ [column]: null }), { [column]: null })
    }
    assert.deepEqual(standard({ current_location: null }), { longitude: null, latitude: null })
    assert.deepEqual(standard({ email_open_tracking_disabled: null }), { email_open_tracking_disabled: false })
    for (const member of ['email_subscribe', 'push_subscribe', 'subscription_groups', 'push_tokens']) {
      assert.ok(isPlain(change({ [member]: null })))
    }
  })

  test('malformed ones are dropped with a notice', () => {
    const malformed: Record<string, readonly unknown[]> = {
      gender: ['X', 'male', 5, ''],
      dob: ['1990-02-30', '28.02.1990', 5, '1990-13-1', '1990'],
      country: ['Atlantis', 'XX', 5, ''],
      language: ['xx', 'english', 5, ''],
      time_zone: ['Mars/Olympus', 'EST5', 5],
      first_name: [5, true, {}, 'x'.repeat(256)],
      image_url: [`https://e.com/${'x'.repeat(2048)}`],
      date_of_first_session: ['soon', 5],
      email_open_tracking_disabled: ['true', 1],
      facebook: ['x', 5, []],
      phone: [{}, true, 'x'.repeat(256)],
      bio: ['x'],
      alias_name: ['x'],
      push_token_import: ['true', 1],
      _unknown: [1],
      ...Object.fromEntries(exportedNames.map((name) => [name, ['x', 1, {}, []]])),
    }
    for (const [field, values] of Object.entries(malformed)) {
      for (const value of values) {
        const read = change({ [field]: value, kept: 1 })
        assert.ok(isPlain(read), `${field}: ${JSON.stringify(value)}`)
        assert.deepEqual(read.custom, { kept: 1 })
        const [notice, ...others] = noticesOf({ [field]: value, kept: 1 })
        assert.ok(notice?.startsWith(`${field} `) && others.length === 0, `${field}: ${JSON.stringify(value)}`)
      }
    }
  })

  test('null, empty addresses and members that others read have no notice', () => {
    for (const field of [...exportedNames, 'bio', 'alias_name', 'push_token_import', '_unknown', 'gender', 'email'])
      assert.deepEqual(noticesOf({ [field]: null }), [], field)
    const read = { external_id: 'u', service_id: '', push_token_import: false, _update_existing_only: true }
    assert.deepEqual(noticesOf({ ...read, _merge_objects: 'false', email: '', phone: '' }), [])
  })

  test('a gender is read without regard to case', () => {
    for (const [given, gender] of ['fF', 'Mm', 'oO', 'nN', 'pP'].map((pair) => [pair[0]!, pair[1]!.toUpperCase()]))
      assert.deepEqual(
        [standard({ gender: given }), noticesOf({ gender: given })],
        [{ gender: gender!.toUpperCase() }, []],
      )
  })

  test('a date of birth is read in every form of a date, as the day that was written', () => {
    for (const text of [
      '1990-01-02',
      '1990-1-2',
      '1990-1-02',
      '01/02/1990',
      '1990-01-02T00:00:00Z',
      '1990-1-2 00:00:00',
      '19900102T000000+09:00',
    ]) {
      assert.deepEqual([standard({ dob: text }), noticesOf({ dob: text })], [{ dob: '1990-01-02' }, []], text)
    }
    for (const text of ['1990-01-02T23:30:00-05:00', '1990-1-2T10:00', '1990-01-02T00:00:00.001Z']) {
      assert.deepEqual(standard({ dob: text }), { dob: '1990-01-02' })
      assert.deepEqual(noticesOf({ dob: text }), ['dob has a time of day: only the date was stored'])
    }
    assert.deepEqual(standard({ date_of_first_session: '1990-1-2T3:00' }), null)
    assert.deepEqual(standard({ date_of_first_session: '1990-1-2' }), {
      date_of_first_session: Date.UTC(1990, 0, 2) * 1000,
    })
  })

  test('parts that are not stored are named', () => {
    for (const [object, notice] of [
      [{ language: 'en-GB' }, 'language has more than a language: only the language was stored'],
      [
        { current_location: { longitude: 1, latitude: 2, altitude: 3 } },
        'current_location has members that are not stored: altitude',
      ],
      [
        { current_location: { longitude: new ExactNumber('1.00000000000000000001'), latitude: 2 } },
        'current_location has more digits than coordinates: the nearest doubles were stored',
      ],
      [{ facebook: { id: 5, likes: ['a'], page: 1 } }, 'facebook has members that are not stored: id, page'],
      [{ _merge_objects: 'yes' }, '_merge_objects is not true or false: objects were not merged'],
      [
        { subscription_groups: [state(archivedId)] },
        'subscription_groups has an archived group: its state did not change',
      ],
      [
        { subscription_groups: [{ ...state(groupId), use_double_opt_in_logic: true }] },
        'subscription_groups has use_double_opt_in_logic: there is no double opt-in',
      ],
      [
        { subscription_groups: [{ ...state(groupId), note: 1 }] },
        'subscription_groups has members that are not stored: note',
      ],
      [{ push_tokens: [{ ...token, os: 'ios' }] }, 'push_tokens has members that are not stored: os'],
      [
        { push_tokens: [{ ...token, notifications_enabled: 'false' }] },
        'push_tokens has a notifications_enabled that is not true or false: true was stored',
      ],
    ] as const) {
      assert.deepEqual(noticesOf(object), [notice])
    }
    const lost = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 1]))
    assert.deepEqual(noticesOf({ twitter: lost }), ['twitter has members that are not stored: a, b, c, d, e, ...'])
  })

  test('spaces around an e-mail address are cut, and addresses without a dot in the domain need a setting', () => {
    assert.deepEqual(standard({ email: ' \tJane@Example.com\n' }), { email: 'jane@example.com' })
    const badEmail = "The value provided for the 'email' field is not a valid email."
    assert.equal(read({ email: 'jane@localhost' }), badEmail)
    const local = { ...rules, localEmails: true }
    const change = readAttributes(
      { email: 'jane@localhost' },
      someone,
      local,
      identifierWords('service'),
      new Notices(false),
    )
    assert.ok(typeof change === 'object')
    assert.deepEqual(change.standard, { email: 'jane@localhost' })
  })

  test('any other text is accepted as a phone number', () => {
    assert.deepEqual(standard({ phone: '555 1234' }), { phone: '555 1234' })
    assert.deepEqual(standard({ phone: 15551234567 }), { phone: '15551234567' })
  })

  test('some malformed ones refuse the object', () => {
    const email = "The value provided for the 'email' field is not a valid email."
    const emailState = "'email_subscribe' must be 'subscribed', 'unsubscribed', or 'opted_in'"
    const pushState = "'push_subscribe' must be 'subscribed', 'unsubscribed', or 'opted_in'"
    assert.equal(read({ email: 'nobody' }), email)
    assert.equal(read({ email: 5 }), email)
    assert.equal(read({ email_subscribe: 'yes' }), emailState)
    assert.equal(read({ email_subscribe: true }), emailState)
    assert.equal(read({ push_subscribe: 'OPTED_IN' }), pushState)
    for (const current_location of ['x', {}, { longitude: 1 }, { latitude: 1 }, { longitude: '1', latitude: 1 }]) {
      assert.equal(read({ current_location }), 'BAD_LOCATION_UPDATE')
    }
    assert.equal(read({ current_location: { longitude: 180.1, latitude: 0 } }), 'BAD_LOCATION_UPDATE')
    assert.equal(read({ current_location: { longitude: 0, latitude: -90.1 } }), 'BAD_LOCATION_UPDATE')
    assert.equal(typeof read({ current_location: { longitude: -180, latitude: 90 } }), 'object')
    assert.equal(read({ email_subscription_info: {} }), 'INVALID_ATTRIBUTE_EMAIL_SUBSCRIPTION_INFO')
  })

  test('the address that identifies is not a change', () => {
    const byEmail: Identifier = { kind: 'email', value: 'a@b.c' }
    assert.deepEqual(change({ email: 'A@b.c', phone: '+15551234567' }, byEmail).standard, {
      phone: '+15551234567',
    })
    const byPhone: Identifier = { kind: 'phone', value: '+15551234567' }
    assert.ok(isPlain(change({ phone: '+1 555 123 4567', x: 1 }, byPhone)))
  })
})

describe('groups and tokens of an attributes object', () => {
  test('group states are set by public id, the last of a group wins, and archived groups are ignored', () => {
    const item = (subscription_group_id: string, subscription_state: string) => ({
      subscription_group_id,
      subscription_state,
    })
    const subscription_groups = [
      item(groupId, 'subscribed'),
      item(archivedId, 'subscribed'),
      item(groupId.toUpperCase(), 'unsubscribed'),
    ]
    const { subscriptions } = change({ subscription_groups })
    assert.deepEqual(subscriptions, [{ group_id: 1, channel: 'email', state: 'unsubscribed' }])
    assert.equal(read({ subscription_groups: {} }), 'BAD_SUBSCRIPTION_GROUP_ARRAY')
    assert.equal(read({ subscription_groups: ['x'] }), 'BAD_SUBSCRIPTION_GROUP_HASH')
    assert.equal(read({ subscription_groups: [{ subscription_group_id: groupId }] }), 'BAD_SUBSCRIPTION_GROUP_HASH')
    assert.equal(read({ subscription_groups: [item('x', 'subscribed')] }), 'BAD_SUBSCRIPTION_GROUP_ID')
    assert.equal(read({ subscription_groups: [item(groupId, 'opted_in')] }), 'BAD_SUBSCRIPTION_GROUP_STATE')
  })

  test('push tokens need an app of the workspace, a token, and a device of 8 to 255 bytes when they name one', () => {
    const token = { app_id: 'app', token: 't' }
    assert.deepEqual(
      change({ push_tokens: [token, { ...token, device_id: 'x'.repeat(8), notifications_enabled: false }] })
        .push_tokens,
      [
        { ...token, device_id: null, notifications_enabled: true },
        { ...token, device_id: 'x'.repeat(8), notifications_enabled: false },
      ],
    )
    const device = "token import with 'device_id' must have a device_id less than 255 bytes and at least 8 bytes"
    assert.equal(read({ push_tokens: [{ ...token, device_id: 'x'.repeat(7) }] }), device)
    assert.equal(typeof read({ push_tokens: [{ ...token, device_id: 'x'.repeat(255) }] }), 'object')
    assert.equal(read({ push_tokens: [{ ...token, device_id: 'x'.repeat(256) }] }), device)
    assert.equal(read({ push_tokens: [{ ...token, device_id: 5 }] }), device)
    for (const count of [99, 100])
      assert.equal(change({ push_tokens: Array(count).fill(token) }).push_tokens.length, count)
    assert.equal(read({ push_tokens: Array(101).fill(token) }), 'BAD_PUSH_TOKEN_VALUE')
    assert.equal(read({ push_tokens: {} }), 'BAD_PUSH_TOKEN_VALUE')
    assert.equal(read({ push_tokens: ['t'] }), 'BAD_PUSH_TOKEN_VALUE')
    assert.equal(read({ push_tokens: [{ token: 't' }] }), 'BAD_PUSH_TOKEN_APP_ID')
    assert.equal(read({ push_tokens: [{ app_id: 'other', token: 't' }] }), 'BAD_PUSH_TOKEN_APP_ID')
    assert.equal(read({ push_tokens: [{ app_id: 'app' }] }), 'BAD_PUSH_TOKEN_STRING')
    assert.equal(read({ push_tokens: [{ app_id: 'app', token: 'x'.repeat(1025) }] }), 'BAD_PUSH_TOKEN_STRING')
  })
})
