import assert from 'node:assert/strict'
import test from 'node:test'
import { changedFields } from '../../dashboard/src/pages/texts/changed-fields.ts'
import { liquidFilters, ownFilters, ownTags, personNames, roots } from '../../dashboard/src/words/liquid.ts'
import { openLiquid } from '../../src/content/liquid/liquid-instance.ts'
import * as names from '../../src/content/liquid/names.ts'
import { checkTemplate } from '../../src/content/liquid/parse.ts'

test('the editor offers tags, filters and names that texts have', () => {
  const { tags, filters } = openLiquid()
  assert.deepEqual(
    ownTags.filter((name) => !Object.hasOwn(tags, name)),
    [],
  )
  assert.deepEqual(
    [...ownFilters, ...liquidFilters].filter((name) => !Object.hasOwn(filters, name)),
    [],
  )
  const known: readonly string[] = [...names.roots, 'custom_attribute', 'content_blocks']
  assert.deepEqual(
    roots.filter((name) => !known.includes(name)),
    [],
  )
  for (const name of personNames) assert.equal(checkTemplate(`{{\${${name}}}}`), undefined)
})

test('the changes of a draft are the fields that differ from what is stored', () => {
  const stored = { subject: 'a', body: 'b' }
  assert.deepEqual(changedFields(stored, {}), {})
  assert.deepEqual(changedFields(stored, { subject: 'a', body: 'c' }), { body: 'c' })
  assert.deepEqual(changedFields<Record<string, string>>(stored, { gone: 'x' }), {})
})
