import assert from 'node:assert/strict'
import test from 'node:test'
import { describeUnknownPath, nearestPaths } from '../../src/base/http/nearest-paths.ts'

const paths = [
  '/users/track',
  '/users/track/bulk',
  '/users/export/ids',
  '/users/delete',
  '/messages/send',
  '/canvas/list',
  '/campaigns/list',
  '/catalogs/{catalog_name}/items/{item_id}',
]

for (const [asked, expected] of [
  ['/users/tracks', ['/users/track', '/users/track/bulk', '/users/delete']],
  ['//users//track/bulks', ['/users/track/bulk', '/users/track', '/users/export/ids']],
  ['/user/track', ['/users/track']],
  ['/canvases/list', ['/canvas/list', '/campaigns/list']],
  ['/messages/live_activity/start', ['/messages/send']],
  ['/CANVAS/LIST', ['/canvas/list']],
  ['/cdi/integrations', []],
  ['/', []],
  ['', []],
  [`/${'x'.repeat(100_000)}`, []],
] as const) {
  test(`The paths nearest to ${asked.slice(0, 40)} are ${expected.join(', ') || 'none'}.`, () => {
    assert.deepEqual(nearestPaths(asked, paths), expected)
  })
}

test('An unknown path is answered with the nearest ones.', () => {
  assert.equal(
    describeUnknownPath('/users/tracks', paths),
    'Not found. The nearest paths are /users/track, /users/track/bulk and /users/delete',
  )
  assert.equal(describeUnknownPath('/messages/sends', paths), 'Not found. The nearest path is /messages/send')
  assert.equal(describeUnknownPath('/cdi/integrations', paths), 'Not found. /openapi.json has all paths')
})
