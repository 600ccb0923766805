import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalid } from '../../src/base/errors.ts'
import { errorBody, errorDialectOf } from '../../src/base/http/dialects.ts'

test('only tracking, catalogs and the administration name the entries of a refusal errors', () => {
  const entries = [{ field: 'content', message: 'is empty' }]
  for (const [errors, path, member] of [
    ['standard', '/messages/send', 'details'],
    ['standard', '/content_blocks/create', 'details'],
    ['standard', '/administration', 'details'],
    ['standard', '/admin/apply', 'errors'],
    ['track', '/users/track', 'errors'],
    ['catalog', '/catalogs', 'errors'],
  ] as const) {
    const dialect = errorDialectOf({ errors, path })
    const body = errorBody(dialect, invalid('It is wrong', entries), 'number')
    assert.deepEqual(body, { message: 'It is wrong', [member]: entries }, path)
  }
})

test('a standard refusal without entries has its message alone', () => {
  for (const path of ['/messages/send', '/admin/apply']) {
    const dialect = errorDialectOf({ errors: 'standard', path })
    assert.deepEqual(errorBody(dialect, invalid('It is wrong'), 'number'), { message: 'It is wrong' })
  }
})
