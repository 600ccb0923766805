import assert from 'node:assert/strict'
import test from 'node:test'
import { describedPaths, listSeenStatuses, openTemplates } from '../support/seen-statuses.ts'

const seen = listSeenStatuses()

/** Answered before the path is read. The description says so once, for all paths. */
const headersTooLarge = '431'

// It runs after all files that run together, and so sees what they saw. Of a run of a few files it checks those.
test('every status that an endpoint answered in this run is described in openapi.json', {
  skip: seen === undefined && 'the runner has not set EASEL_TEST_STATUSES',
}, () => {
  const paths = describedPaths()
  const undescribed = seen!.filter((line) => {
    const [method, path, status] = line.split(' ') as [string, string, string]
    return status !== headersTooLarge && !(status in paths[path]![method.toLowerCase()]!.responses)
  })
  assert.deepEqual(undescribed, [], 'describe them in `refusals` of the route')
})

test('a request is recorded under its path with parameters, fixed segments first', () => {
  const templateOf = openTemplates(describedPaths())
  const cases: readonly [method: string, path: string, template: string | undefined][] = [
    ['POST', '/users/track', '/users/track'],
    ['GET', '/users/track', undefined],
    ['GET', '/segments/list?page=0', '/segments/list'],
    ['POST', '/catalogs/things/items/one', '/catalogs/{catalog_name}/items/{item_id}'],
    ['POST', '/scim/v2/Users/.search', '/scim/v2/Users/.search'],
    ['PUT', '/scim/v2/Users/.search', '/scim/v2/Users/{id}'],
    ['GET', '/admin/segments/', undefined],
    ['GET', '/nowhere', undefined],
  ]
  for (const [method, path, template] of cases) assert.equal(templateOf(method, path), template, `${method} ${path}`)
})
