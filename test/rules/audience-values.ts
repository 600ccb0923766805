import assert from 'node:assert/strict'
import { parseAudience } from '../../src/audience/conditions/parse-condition.ts'
import type { Tree } from '../../src/audience/conditions/tree.ts'
import { Failure } from '../../src/base/errors.ts'

/** Returns the text with which a tree is refused. Fails when it is accepted. */
export function refusal(value: unknown, read: (value: unknown, path: string) => Tree = parseAudience): string {
  try {
    read(value, 'audience')
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.kind, 'invalid')
    return error.message
  }
  return assert.fail(`accepted ${JSON.stringify(value).slice(0, 200)}`)
}

export const attribute = (comparison: unknown, value?: unknown): object => ({
  custom_attribute: { custom_attribute_name: 'plan', comparison, ...(value === undefined ? {} : { value }) },
})
export const gold = attribute('equals', 'gold')
export const event = (members: object): object => ({
  custom_event: { name: 'order', comparison: 'exists', ...members },
})
