import assert from 'node:assert/strict'
import test from 'node:test'
import { maskSecrets, maskUrl } from '../../src/workspace/requests/mask-secrets.ts'

const cases: readonly [string, string][] = [
  ['{"external_id":"ada","plan":"gold"}', '{"external_id":"ada","plan":"gold"}'],
  ['{"password":"hunter2","user":"a"}', '{"password":"***","user":"a"}'],
  ['{"a":{"Secret" : "x"},"b":["secret"]}', '{"a":{"Secret" : "***"},"b":["secret"]}'],
  [
    '{"token":12345,"tokens":["a",["b"],{"c":"d"}],"e":"f"}',
    '{"token":"***","tokens":["***",["***"],{"c":"***"}],"e":"f"}',
  ],
  ['{"request_headers":{"X-Shop":"s","n":null},"url":"u"}', '{"request_headers":{"X-Shop":"***","n":null},"url":"u"}'],
  ['{"password":"it \\"is\\" {","b":"c"}', '{"password":"***","b":"c"}'],
  ['{"password":"cut in the mid', '{"password":"***"'],
  ["{'password': 'python', 'a': 'b'}", `{'password': "***", 'a': 'b'}`],
  ['{"note":"the password: none"}', '{"note":"the password: none"}'],
  ['{"note":"easel_key_abcdefghijklmnop"}', '{"note":"***"}'],
  ['["password","a"]', '["password","a"]'],
  ['{"private_key":true,"key":"k","keys":"open"}', '{"private_key":true,"key":"***","keys":"open"}'],
  ['}}]]password', '}}]]password'],
]

test('Secrets in a body are masked, whole or cut, and nothing else is', () => {
  for (const [text, shown] of cases) assert.equal(maskSecrets(text), shown, text)
})

test('Secrets in a URL are masked', () => {
  assert.equal(maskUrl('/a?token=x%20y&b=c&api_key=d'), '/a?token=***&b=c&api_key=***')
  assert.equal(maskUrl('/hooks/easel_key_abcdefghijklmnop'), '/hooks/***')
})
