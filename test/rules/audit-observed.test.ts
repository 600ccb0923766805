import assert from 'node:assert/strict'
import test from 'node:test'
import type { Actor } from '../../src/base/call.ts'
import { type Failure, invalid, unauthenticated } from '../../src/base/errors.ts'
import type { AnsweredRequest } from '../../src/base/http/observe.ts'
import {
  callerEventsMax,
  EventWindow,
  eventBudgetsMax,
  strangerEventsMax,
} from '../../src/workspace/audit/event-window.ts'
import {
  eventOfAnswer,
  type ObservedEvent,
  observedCharactersMax,
  unknownAccountEvent,
} from '../../src/workspace/audit/observed-rules.ts'

const from = { ip: '203.0.113.7', request_id: 'r1' }
const actor = (kind: Actor['kind'], id: string): Actor => ({ kind, id, name: id, from })
const anonymous = actor('anonymous', '')

type Given = Partial<Omit<AnsweredRequest, 'route'>> & { route: AnsweredRequest['route'] }

function answered({ route, ...given }: Given): AnsweredRequest {
  return { route, params: {}, status: 200, failure: undefined, caller: undefined, from, ...given }
}

const ofKey = { workspace_id: 3, actor: actor('key', 'k') }
const ofScim = { workspace_id: 1, actor: actor('scim', 't') }
const admin = (ability: 'people.read' | 'inbox.read' | 'apps.read', method: 'GET' | 'POST' = 'GET') =>
  ({ permission: 'admin', ability, method, path: '/admin/some' }) as const
const key = (permission: 'users.export.ids' | 'users.export.segment' | 'users.track') =>
  ({ permission, method: 'POST', path: '/users/some' }) as const
const scim = { permission: 'scim', method: 'PATCH', path: '/scim/v2/Users/{id}' } as const
const page = (path: string, method: 'GET' | 'POST' = 'GET') => ({ path, method })
const refused = (failure: Failure, status: number) => ({ failure, status })

const cases: readonly [Given, string | undefined][] = [
  [{ route: admin('people.read') }, 'access people.read endpoint:GET /admin/some'],
  [{ route: admin('people.read', 'POST') }, 'access people.read endpoint:POST /admin/some'],
  [{ route: admin('inbox.read') }, 'access inbox.read endpoint:GET /admin/some'],
  [{ route: admin('apps.read') }, undefined],
  [{ route: admin('people.read'), status: 404 }, undefined],
  [
    { route: admin('apps.read'), ...refused(unauthenticated('no'), 401) },
    'refusal admin.refuse endpoint:GET /admin/some',
  ],
  [{ route: key('users.export.ids'), caller: ofKey }, 'access people.read endpoint:POST /users/some'],
  [
    { route: key('users.export.segment'), caller: ofKey, status: 201 },
    'access people.export endpoint:POST /users/some',
  ],
  [{ route: key('users.track'), caller: ofKey, status: 201 }, undefined],
  [{ route: key('users.track'), caller: ofKey, ...refused(invalid('no'), 400) }, undefined],
  [
    { route: key('users.track'), ...refused(unauthenticated('no'), 401) },
    'refusal key.refuse endpoint:POST /users/some',
  ],
  [{ route: scim, caller: ofScim, params: { id: 'a' } }, undefined],
  [
    { route: scim, caller: ofScim, params: { id: 'a' }, ...refused(invalid('no'), 400) },
    'refusal scim.refuse account:a',
  ],
  [
    { route: scim, params: { id: 'a' }, ...refused(unauthenticated('no'), 401) },
    'refusal scim.refuse endpoint:PATCH /scim/v2/Users/{id}',
  ],
  [
    {
      route: { ...scim, path: '/scim/v2/Groups/{id}' },
      caller: ofScim,
      params: { id: 'a' },
      ...refused(invalid('no'), 400),
    },
    'refusal scim.refuse endpoint:PATCH /scim/v2/Groups/{id}',
  ],
  [{ route: scim, caller: ofScim, params: { id: 'a' }, status: 503 }, undefined],
  [{ route: page('/exports/{object}'), params: { object: 'o.zip' } }, 'access export.download export:o.zip'],
  [{ route: page('/exports/{object}'), params: { object: 'o.zip' }, status: 403 }, undefined],
  [{ route: page('/sign-in'), status: 200 }, undefined],
  [
    { route: page('/sign-in/link/{token}', 'POST'), params: { token: 'secret' }, status: 404 },
    'refusal session.refuse endpoint:POST /sign-in/link/{token}',
  ],
  [
    { route: page('/sign-in/oidc/callback'), status: 403 },
    'refusal session.refuse endpoint:GET /sign-in/oidc/callback',
  ],
  [{ route: page('/sign-in'), status: 503 }, undefined],
  [{ route: page('/u/{token}'), status: 404 }, undefined],
]

test('answers that read people, downloads and refusals are events, and others are not', () => {
  for (const [given, expected] of cases) {
    const event = eventOfAnswer(answered(given))
    const told = event && `${event.kind} ${event.action} ${event.target.kind}:${event.target.id}`
    assert.equal(told, expected, JSON.stringify(given.route))
    assert.doesNotMatch(JSON.stringify(event ?? {}), /secret/)
  }
})

test('texts of callers are bounded, and can be stored', () => {
  for (const length of [observedCharactersMax - 1, observedCharactersMax, observedCharactersMax + 1]) {
    const failure = invalid(`\0\ud800${'x'.repeat(length - 2)}`)
    const event = eventOfAnswer(answered({ route: scim, caller: ofScim, ...refused(failure, 400) }))
    const reason = event!.details.reason!
    assert.equal(reason.length, Math.min(length, observedCharactersMax))
    assert.ok(reason.isWellFormed() && !reason.includes('\0'))
  }
  assert.equal(unknownAccountEvent('x'.repeat(900), from).details.name?.length, observedCharactersMax)
})

const eventOf = (by: Actor, action: string, id: string): ObservedEvent => ({
  kind: by.kind === 'anonymous' ? 'refusal' : 'access',
  actor: by,
  action,
  target: { kind: 'endpoint', id },
  workspace_id: null,
  details: { status: 200 },
})

test('equal events are written once and then counted', () => {
  const window = new EventWindow()
  const written = Array.from({ length: 1_000 }, () => window.add(eventOf(actor('key', 'k'), 'people.read', 'GET /x')))
  assert.deepEqual(written, [true, ...Array.from({ length: 999 }, () => false)])
  const { repeated, omitted } = window.summary()
  assert.deepEqual([repeated.map(({ requests }) => requests), omitted.size], [[999], 0])
})

for (const [who, by, max] of [
  ['strangers together', anonymous, strangerEventsMax],
  ['a known caller', actor('key', 'k'), callerEventsMax],
] as const) {
  test(`${who} cause at most ${max} rows of one action, and the rest is counted`, () => {
    for (const count of [max - 1, max, max + 1, 3 * max]) {
      const window = new EventWindow()
      // Each stranger has an address of his own.
      const events = Array.from({ length: count }, (_, i) =>
        eventOf({ ...by, from: { ...from, ip: `203.0.113.${i}` } }, 'some.action', `${i}`),
      )
      assert.equal(events.filter((event) => window.add(event)).length, Math.min(count, max))
      assert.equal(window.summary().omitted.get('some.action') ?? 0, Math.max(0, count - max))
      const isOther = window.add(eventOf(anonymous, 'other.action', 'x'))
      assert.ok(isOther, 'another action has a budget of its own')
    }
  })
}

test('callers have budgets of their own, of which there is a largest number', () => {
  const window = new EventWindow()
  const written = Array.from({ length: eventBudgetsMax + 1 }, (_, i) =>
    window.add(eventOf(actor('key', `k${i}`), 'people.read', 'x')),
  )
  assert.equal(written.indexOf(false), eventBudgetsMax)
  assert.equal(window.summary().omitted.get('people.read'), 1)
})
