import assert from 'node:assert/strict'
import test from 'node:test'
import { mismatchesOf, pathMatches } from '../../src/emulator/requests/match-request.ts'

test('a request filter matches a part of a body', () => {
  const request = {
    workspace: 'one',
    method: 'POST',
    path: '/users/track',
    body: { attributes: [{ external_id: 'ada', plan: 'gold' }, { external_id: 'bob' }], n: 1 },
  }
  const cases: [object, string[]][] = [
    [{}, []],
    [{ method: 'post', path: '//users/track/' }, []],
    [{ path: '/users/*' }, []],
    [{ path: '/users' }, ['path']],
    [{ workspace: 'two' }, ['workspace']],
    [{ body: { n: 1 } }, []],
    [{ body: { n: 2 } }, ['body.n']],
    [{ body: { m: 1 } }, ['body.m']],
    [{ body: { attributes: [{ external_id: 'bob' }] } }, []],
    [{ body: { attributes: [{ external_id: 'bob' }, { plan: 'gold' }] } }, []],
    [{ body: { attributes: [{ plan: 'gold' }, { plan: 'gold' }] } }, ['body.attributes[1].plan']],
    [{ body: { attributes: {} } }, ['body.attributes']],
    [{ body: [] }, ['body']],
  ]
  for (const [filter, members] of cases) {
    const found = mismatchesOf(request, filter).map(({ member }) => member)
    assert.deepEqual(found, members, JSON.stringify(filter))
  }
  assert.ok(!pathMatches('/a/b/c', '/a/*'))
})
