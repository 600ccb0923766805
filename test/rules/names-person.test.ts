import assert from 'node:assert/strict'
import test from 'node:test'
import { bodyNames, comparable, textNames, urlNames } from '../../src/workspace/requests/names-person.ts'

const identifiers = new Set(['ada-1', 'ada@example.com', '+15550100200', '4711', 'Ada & Co'].map(comparable))

const naming = [
  '{"external_id":"ada-1"}',
  '{"external_id":"\\u0061da-1"}',
  '{"external_id":4711}',
  '{"email":"ADA@Example.com "}',
  '{"from":"Ada <ada@example.com>"}',
  '{"phone":"+1 (555) 010-0200"}',
  `{"message":"'ada-1' is not valid"}`,
  '{"alias_name":"Ada & Co"}',
]
const others = [
  '{"external_id":"ada-11"}',
  '{"external_id":"xada-1"}',
  '{"n":47110}',
  '{"email":"bada@example.com"}',
  '{}',
]

test('A body names a person by an identifier, in any form that callers send', () => {
  for (const body of naming) assert.ok(bodyNames(body, false, identifiers), body)
  for (const body of others) assert.ok(!bodyNames(body, false, identifiers), body)
})

test('A body that is cut within an identifier names the person', () => {
  assert.ok(bodyNames('{"external_id":"ad', true, identifiers))
  assert.ok(!bodyNames('{"external_id":"ad', false, identifiers))
  assert.ok(!bodyNames('{"external_id":"bo', true, identifiers))
})

test('A URL names a person in its path and in its query', () => {
  for (const url of ['/users/ada-1', '/a?email=ada%40example.com', '/a?phone=+15550100200', '/a?x=Ada+%26+Co']) {
    assert.ok(urlNames(url, identifiers), url)
  }
  assert.ok(!urlNames('/ada/1?email=bo@example.com', identifiers))
})

test('A refusal names a person by a word', () => {
  assert.ok(textNames('There is no ada-1.', identifiers))
  assert.ok(!textNames('There is no ada.', identifiers))
})
