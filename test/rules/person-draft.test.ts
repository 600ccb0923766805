import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GetAdminPeopleIdReply } from '../../dashboard/src/api/generated.ts'
import { byField, changesOf, draftOf, type PersonDraft } from '../../dashboard/src/pages/people/person-draft.ts'

const reply = {
  person: { email_subscribe: 'subscribed' },
  record: {
    first_name: 'Ada',
    country: 'NL',
    custom_attributes: { plan: 'gold', visits: 3, staff: true, tags: ['a'] },
  },
} as unknown as GetAdminPeopleIdReply
const saved = draftOf(reply)

function withCustom(name: string, some: Partial<PersonDraft['custom'][number]>): PersonDraft {
  return { ...saved, custom: saved.custom.map((row) => (row.name === name ? { ...row, ...some } : row)) }
}

test('a draft that was not changed sends nothing', () => {
  assert.deepEqual(changesOf(saved, saved), { attributes: {}, problems: {} })
  assert.deepEqual(
    saved.custom.map(({ name, type, text }) => [name, type, text]),
    [
      ['plan', 'text', 'gold'],
      ['staff', 'yes_no', 'true'],
      ['tags', 'json', '["a"]'],
      ['visits', 'number', '3'],
    ],
  )
})

test('only what was changed is sent, with its type, and an emptied field is removed', () => {
  const standard = { ...saved.standard, first_name: ' Augusta ', country: '' }
  assert.deepEqual(changesOf({ ...saved, standard }, saved).attributes, { first_name: 'Augusta', country: null })
  assert.deepEqual(changesOf(withCustom('visits', { text: '4.5' }), saved).attributes, { visits: 4.5 })
  assert.deepEqual(changesOf(withCustom('visits', { type: 'text' }), saved).attributes, { visits: '3' })
  assert.deepEqual(changesOf(withCustom('staff', { text: 'false' }), saved).attributes, { staff: false })
  assert.deepEqual(changesOf(withCustom('tags', { text: '{"a": [1]}' }), saved).attributes, { tags: { a: [1] } })
  assert.deepEqual(changesOf(withCustom('plan', { isRemoved: true }), saved).attributes, { plan: null })
})

test('what cannot be read as its type, or would lose digits, is not sent', () => {
  for (const [type, text, problem] of [
    ['number', 'many', 'This is not a number.'],
    ['number', '', 'This is not a number.'],
    ['number', '9007199254740993', 'This number has more digits than a browser can send.'],
    ['json', '{', 'This is not JSON.'],
  ] as const) {
    assert.deepEqual(changesOf(withCustom('visits', { type, text }), saved), {
      attributes: {},
      problems: { visits: problem },
    })
  }
  const row = { key: 'new 0', name: ' ', type: 'text', text: 'x', isRemoved: false } as const
  assert.deepEqual(changesOf({ ...saved, custom: [...saved.custom, row] }, saved).problems, {
    'new 0': 'The attribute needs a name.',
  })
  assert.deepEqual(
    changesOf({ ...saved, custom: [...saved.custom, { ...row, isRemoved: true }] }, saved).attributes,
    {},
  )
})

test('a text of the server stands at the field that it names', () => {
  const texts = ["The value provided for the 'email' field is not a valid email.", 'BAD_LOCATION_UPDATE']
  assert.deepEqual(byField(texts, ['first_name', 'email']), { problems: { email: texts[0] }, others: [texts[1]] })
})
