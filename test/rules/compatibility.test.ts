import assert from 'node:assert/strict'
import test from 'node:test'
import { compatibilityPage, readKnownPaths } from '../../scripts/compatibility.ts'

test('The page says of each known endpoint whether it is served, and lists the others that are.', () => {
  const known = [
    { method: 'GET', path: '/a' },
    { method: 'POST', path: '/a', missing: 'Nobody asked.' },
    { method: 'GET', path: '/b/{b_id}', partly: 'One half.' },
    { method: 'GET', path: '/c', partly: 'One half.' },
    { method: 'GET', path: '/d', missing: 'It is there now.' },
  ]
  const served = [
    { method: 'GET', path: '/a' },
    { method: 'GET', path: '/b/{id}' },
    { method: 'GET', path: '/d' },
    { method: 'GET', path: '/own' },
    { method: 'GET', path: '/admin/own' },
  ]
  const rows = compatibilityPage(known, served).split('\n')
  assert.deepEqual(
    rows.filter((row) => row.startsWith('| `')),
    [
      '| `GET /a` | yes | |',
      '| `POST /a` | no | Nobody asked. |',
      '| `GET /b/{b_id}` | partly | One half. |',
      '| `GET /c` | no | It is not made yet. |',
      '| `GET /d` | yes | |',
      '| `GET /own` |',
    ],
  )
  assert.ok(rows.includes('2 endpoints are served, 1 partly, and 2 are not.'))
})

test('Every known endpoint is there once, and each reason is a sentence.', () => {
  const known = readKnownPaths()
  const names = known.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(names, [...new Set(names)])
  for (const { method, path, partly, missing, ...rest } of known) {
    assert.match(method, /^(GET|POST|PUT|PATCH|DELETE)$/)
    assert.match(path, /^(\/([\w.]+|\{\w+\}))+$/)
    assert.deepEqual(rest, {}, path)
    for (const reason of [partly, missing]) assert.match(reason ?? 'It is.', /^[^a-z|][^|]*\.$/, path)
  }
})
