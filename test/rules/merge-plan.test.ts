import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf, notesOf } from '../../src/people/edits/merge-plan.ts'
import { blankState, type MergeState } from '../../src/people/profile/fold.ts'

const blank: MergeState = {
  ...blankState({ kind: 'external_id', value: 'x' }),
  ...{ external_id: null, session_count: 0, total_revenue: 0 },
  ...{ attributed_campaign: null, attributed_source: null, attributed_adgroup: null, attributed_ad: null },
}

test('each field of the plan says from which person its value comes', () => {
  const keep = { ...blank, first_name: 'Ada', total_revenue: 0.1, custom: { same: [1], big: 'x'.repeat(70_000) } }
  const merge = { ...blank, first_name: 'Bo', country: 'NL', total_revenue: 0.2, custom: { same: [1], mine: true } }
  const fields = fieldsOf(keep, merge).map(({ field, from, value }) => [
    field,
    from,
    field.endsWith('big') ? '' : value,
  ])
  assert.deepEqual(fields, [
    ['first_name', 'keep', 'Ada'],
    ['email_subscribe', 'keep', 'subscribed'],
    ['push_subscribe', 'keep', 'subscribed'],
    ['country', 'merge', 'NL'],
    ['total_revenue', 'both', 0.3],
    ['custom_attributes.big', 'keep', ''],
    ['custom_attributes.mine', 'merge', true],
    ['custom_attributes.same', 'keep', [1]],
  ])
})

test('the notes of a plan name identifiers that move and those that are given up', () => {
  const alias = (label: string, name: string) =>
    ({ profile_id: '1', kind: 'alias', value: `${label}\u001f${name}` }) as never
  const notes = notesOf(
    { state: blank, identifiers: [alias('crm', 'a')] },
    { state: { ...blank, external_id: 'old' }, identifiers: [alias('crm', 'b'), alias('shop', 'c')] },
  )
  assert.deepEqual(notes, [
    'Events, purchases, messages and entries of both people are kept.',
    'The external id "old" is given up. It may name a new person later.',
    'The alias shop:c moves to the person who stays.',
    'The alias crm:b is given up: the person who stays has another one with this label.',
    'A merge cannot be undone.',
  ])
})
