import assert from 'node:assert/strict'
import test from 'node:test'
import { eraseTexts, personMembers } from '../../src/workspace/audit/erase-texts.ts'

const texts = new Set(['ada@example.com', '+15551234567', 'ada', 'gold'])
const erased = (value: unknown) => eraseTexts(value, texts, (text) => `deleted:${text}`)

test('addresses are replaced everywhere, in any case', () => {
  const given = {
    reply_to: 'Ada@Example.com',
    list: ['+15551234567', { deep: ['ada@example.com'] }],
    n: 1,
    is: true,
    no: null,
  }
  assert.deepEqual(erased(given), {
    reply_to: 'deleted:ada@example.com',
    list: ['deleted:+15551234567', { deep: ['deleted:ada@example.com'] }],
    ...{ n: 1, is: true, no: null },
  })
  for (const text of ['Dear ada@example.com', 'ada@example.com, bo@example.com', '+1 555 123 4567', '15551234567']) {
    assert.deepEqual(erased({ text }), { text }, 'a part of a text is not a value')
  }
})

test('other texts are replaced where they are compared with people, in the same case', () => {
  for (const member of personMembers) {
    assert.deepEqual(erased({ [member]: 'ada' }), { [member]: 'deleted:ada' })
    assert.deepEqual(erased([{ [member]: ['bo', 'gold', [7, 'ada']] }]), [
      { [member]: ['bo', 'deleted:gold', [7, 'deleted:ada']] },
    ])
    assert.deepEqual(erased({ [member]: ['Ada', { name: 'ada' }] }), { [member]: ['Ada', { name: 'ada' }] })
  }
  assert.deepEqual(erased({ name: 'ada', tags: ['gold'] }), { name: 'ada', tags: ['gold'] })
  assert.equal(erased('ada'), 'ada')
  assert.equal(erased(null), null)
})
