import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { mergeAppUse, mergeStates } from '../../src/people/merge/merge-states.ts'
import type { AppUseState } from '../../src/people/profile/app-use-store.ts'
import { blankState, countMax, type MergeState } from '../../src/people/profile/fold.ts'
import { seed, sizes } from '../sizes.ts'

type Rule =
  | 'kept'
  | 'filled'
  | 'filled with its pair'
  | 'filled with its campaign'
  | 'added'
  | 'first'
  | 'last'
  | 'either'
  | 'by key'
  | 'e-mail state'
  | 'push state'

/** The rule of each column. A new column does not compile until it has a rule here. */
const rules: Record<keyof MergeState, Rule> = {
  external_id: 'kept',
  email: 'filled',
  phone: 'filled',
  first_name: 'filled',
  last_name: 'filled',
  gender: 'filled',
  dob: 'filled',
  country: 'filled',
  home_city: 'filled',
  language: 'filled',
  time_zone: 'filled',
  image_url: 'filled',
  facebook: 'filled',
  twitter: 'filled',
  longitude: 'filled with its pair',
  latitude: 'filled with its pair',
  attributed_campaign: 'filled with its campaign',
  attributed_source: 'filled with its campaign',
  attributed_adgroup: 'filled with its campaign',
  attributed_ad: 'filled with its campaign',
  email_subscribe: 'e-mail state',
  email_subscribe_at: 'e-mail state',
  email_opted_in_at: 'e-mail state',
  email_unsubscribed_at: 'e-mail state',
  push_subscribe: 'push state',
  push_subscribe_at: 'push state',
  push_opted_in_at: 'push state',
  push_unsubscribed_at: 'push state',
  email_open_tracking_disabled: 'either',
  email_click_tracking_disabled: 'either',
  session_count: 'added',
  total_revenue: 'added',
  date_of_first_session: 'first',
  date_of_last_session: 'last',
  marked_email_as_spam_at: 'last',
  custom: 'by key',
  typed: 'by key',
}

const names = Object.keys(rules) as (keyof MergeState)[]
const having = (rule: Rule) => names.filter((name) => rules[name] === rule)

const blank: MergeState = {
  ...blankState({ kind: 'service_id', value: '' }),
  session_count: 0,
  total_revenue: 0,
  attributed_campaign: null,
  attributed_source: null,
  attributed_adgroup: null,
  attributed_ad: null,
}

const someone = (more: Partial<MergeState>): MergeState => ({ ...blank, ...more })
const options = { sdkActivity: 'kept' } as const

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 })
const word = some(fc.constantFrom('a', 'b', 'c'))
const moment = some(fc.integer({ min: 1, max: 9 }))
const state = fc.constantFrom('opted_in' as const, 'subscribed' as const, 'unsubscribed' as const)
const record = some(fc.nat(3).map((id) => ({ id })))
const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'é')

/** Attributes that read as a date are in `typed` too. */
const custom = fc
  .array(fc.tuple(key, fc.oneof(fc.nat(9), fc.constant('2024-01-01'), fc.constant(['x']))), { maxLength: 4 })
  .map((pairs) => {
    const values = Object.fromEntries(pairs)
    const dates = Object.entries(values).filter(([, value]) => value === '2024-01-01')
    return { custom: values, typed: Object.fromEntries(dates.map(([name]) => [name, 1_704_067_200_000])) }
  })

const emailState = fc.oneof(
  fc.constant({ email_subscribe: 'subscribed' as const, email_subscribe_at: null, email_opted_in_at: null }),
  fc.record({ email_subscribe: state, email_subscribe_at: fc.integer({ min: 1, max: 9 }), email_opted_in_at: moment }),
)
const pushState = fc.oneof(
  fc.constant({ push_subscribe: 'subscribed' as const, push_subscribe_at: null, push_opted_in_at: null }),
  fc.record({ push_subscribe: state, push_subscribe_at: fc.integer({ min: 1, max: 9 }), push_opted_in_at: moment }),
)

const profile: fc.Arbitrary<MergeState> = fc
  .tuple(
    fc.record({
      ...Object.fromEntries(having('filled').map((name) => [name, word])),
      ...Object.fromEntries([...having('first'), ...having('last')].map((name) => [name, moment])),
      external_id: word,
      facebook: record,
      twitter: record,
      email_open_tracking_disabled: fc.boolean(),
      email_click_tracking_disabled: fc.boolean(),
      session_count: fc.nat(1000),
      total_revenue: fc.nat(100_000).map((cents) => cents / 100),
    }),
    fc.oneof(fc.constant({}), fc.record({ longitude: fc.nat(180), latitude: fc.nat(90) })),
    fc.oneof(fc.constant({}), fc.record({ attributed_campaign: word, attributed_source: word, attributed_ad: word })),
    emailState,
    pushState,
    custom,
  )
  .map((parts) => Object.assign({}, blank, ...parts) as MergeState)

/** Tests a law on random profiles. */
function law(title: string, check: (kept: MergeState, merged: MergeState, third: MergeState) => void): void {
  test(title, () => {
    fc.assert(fc.property(profile, profile, profile, check), { seed, numRuns: sizes.propertyRuns })
  })
}

const pick = (of: MergeState, columns: readonly (keyof MergeState)[]) => columns.map((name) => of[name])
const lacks = (values: readonly unknown[]) => values.every((value) => value === null)
const known = (values: readonly unknown[]) => values.filter((value): value is number => value !== null)

describe('laws of a merge', () => {
  law('the arguments are not changed', (kept, merged) => {
    const copies = structuredClone([kept, merged])
    mergeStates(kept, merged, options)
    mergeStates(kept, merged, { sdkActivity: 'lost' })
    assert.deepEqual([kept, merged], copies)
  })

  law('the kept profile keeps its fields and takes over the ones it lacks', (kept, merged) => {
    const after = mergeStates(kept, merged, options)
    const units = [
      ...having('filled').map((name) => [name]),
      having('filled with its pair'),
      having('filled with its campaign'),
    ]
    for (const unit of units) {
      assert.deepEqual(pick(after, unit), pick(lacks(pick(kept, unit)) ? merged : kept, unit), unit.join())
    }
    assert.equal(after.external_id, kept.external_id)
  })

  law('counts and amounts are added, first times take the earlier and last times the later', (kept, merged) => {
    const after = mergeStates(kept, merged, options)
    assert.equal(after.session_count, kept.session_count + merged.session_count)
    assert.equal(
      Math.round(after.total_revenue * 100),
      Math.round(kept.total_revenue * 100) + Math.round(merged.total_revenue * 100),
    )
    for (const name of having('first')) {
      const moments = known([kept[name], merged[name]])
      assert.equal(after[name], moments.length === 0 ? null : Math.min(...moments), name)
    }
    for (const name of having('last')) {
      const moments = known([kept[name], merged[name]])
      assert.equal(after[name], moments.length === 0 ? null : Math.max(...moments), name)
    }
    for (const name of having('either')) assert.equal(after[name], kept[name] || merged[name], name)
  })

  law('custom attributes of the kept profile are unchanged, and others are added', (kept, merged) => {
    const after = mergeStates(kept, merged, options)
    const keys = new Set([...Object.keys(kept.custom), ...Object.keys(merged.custom)])
    assert.deepEqual(new Set(Object.keys(after.custom)), keys)
    for (const name of keys) {
      const source = Object.hasOwn(kept.custom, name) ? kept : merged
      const own = (of: Readonly<Record<string, unknown>>) => Object.getOwnPropertyDescriptor(of, name)?.value
      assert.deepEqual(own(after.custom), own(source.custom), name)
      assert.equal(own(after.typed), own(source.typed), name)
    }
  })

  law('a second merge of the same profile adds no attribute', (kept, merged) => {
    const once = mergeStates(kept, merged, options)
    const { custom, typed } = mergeStates(once, merged, options)
    assert.deepEqual({ custom, typed }, { custom: once.custom, typed: once.typed })
  })

  law('merging an empty profile changes nothing', (kept) => {
    assert.deepEqual(mergeStates(kept, blank, options), kept)
  })

  law('an empty profile becomes the merged one, except for its external id', (kept) => {
    assert.deepEqual(mergeStates(blank, kept, options), { ...kept, external_id: null })
  })

  law('two profiles without common fields can be merged in any order', (kept, drawn, chance) => {
    const [one, other] = halves(drawn, chance)
    const either = mergeStates(mergeStates(kept, one, options), other, options)
    assert.deepEqual(either, mergeStates(mergeStates(kept, other, options), one, options))
  })

  law('sums, first and last times do not depend on the order', (kept, one, other) => {
    const commuting = (['added', 'first', 'last', 'either'] as const).flatMap(having)
    const either = mergeStates(mergeStates(kept, one, options), other, options)
    assert.deepEqual(
      pick(either, commuting),
      pick(mergeStates(mergeStates(kept, other, options), one, options), commuting),
    )
  })

  law('an anonymous profile whose SDK activity is dropped loses its sessions only', (kept, merged) => {
    const { session_count, date_of_first_session, date_of_last_session } = kept
    const lost = mergeStates(kept, merged, { sdkActivity: 'lost' })
    assert.deepEqual(lost, {
      ...mergeStates(kept, merged, options),
      session_count,
      date_of_first_session,
      date_of_last_session,
    })
  })
})

/** Splits the fields of a profile into two profiles; `chance` decides which field is in which. */
function halves(whole: MergeState, chance: MergeState): [MergeState, MergeState] {
  const one: Record<string, unknown> = { ...blank }
  const other: Record<string, unknown> = { ...blank }
  const alike = new Map<Rule, boolean>()
  for (const [i, name] of names.entries()) {
    const first = (JSON.stringify(chance).length + i) % 3 === 0
    const together = rules[name].startsWith('filled ') || rules[name].endsWith('state') || rules[name] === 'by key'
    const goes = together ? alike.getOrInsertComputed(rules[name], () => first) : first
    ;(goes ? one : other)[name] = whole[name]
  }
  return [one as MergeState, other as MergeState]
}

describe('states of channels', () => {
  const said = (email_subscribe: MergeState['email_subscribe'], at: number, more: Partial<MergeState> = {}) =>
    someone({
      email_subscribe,
      email_subscribe_at: at,
      ...(email_subscribe === 'opted_in' && { email_opted_in_at: at }),
      ...(email_subscribe === 'unsubscribed' && { email_unsubscribed_at: at }),
      ...more,
    })
  const cases: readonly [string, MergeState, MergeState, MergeState['email_subscribe'], number | null][] = [
    ['never said: stays so', blank, blank, 'subscribed', null],
    ['said of the merged one only: taken over', blank, said('unsubscribed', 3), 'unsubscribed', 3],
    ['said of the kept one only: stays', said('opted_in', 3), blank, 'opted_in', 3],
    [
      'different addresses: the state of the kept profile stays',
      said('subscribed', 3, { email: 'a@a' }),
      said('unsubscribed', 9, { email: 'b@b' }),
      'subscribed',
      3,
    ],
    ['no address: the kept one stays', said('subscribed', 3), said('unsubscribed', 9), 'subscribed', 3],
    [
      'the address is taken over: a later state wins',
      said('subscribed', 3),
      said('unsubscribed', 9, { email: 'b@b' }),
      'unsubscribed',
      9,
    ],
    [
      'the address is taken over: an earlier state loses',
      said('unsubscribed', 9),
      said('subscribed', 3, { email: 'b@b' }),
      'unsubscribed',
      9,
    ],
    [
      'the same address: the later state wins',
      said('subscribed', 3, { email: 'a@a' }),
      said('unsubscribed', 9, { email: 'a@a' }),
      'unsubscribed',
      9,
    ],
    [
      'the same address and time: the state of the kept profile stays',
      said('subscribed', 3, { email: 'a@a' }),
      said('unsubscribed', 3, { email: 'a@a' }),
      'subscribed',
      3,
    ],
  ]
  for (const [title, kept, merged, email_subscribe, at] of cases) {
    test(title, () => {
      const after = mergeStates(kept, merged, options)
      assert.deepEqual([after.email_subscribe, after.email_subscribe_at], [email_subscribe, at])
    })
  }

  test('when a state is taken over, the last time of each state is the later of both', () => {
    const kept = said('unsubscribed', 3, { email_opted_in_at: 2 })
    const merged = said('opted_in', 9, { email: 'b@b', email_unsubscribed_at: 1 })
    const after = mergeStates(kept, merged, options)
    assert.deepEqual([after.email_opted_in_at, after.email_unsubscribed_at], [9, 3])
  })

  law('the push state is taken over or kept as a whole', (kept, merged) => {
    const after = mergeStates(kept, merged, options)
    const source = kept.push_subscribe_at === null && merged.push_subscribe_at !== null ? merged : kept
    assert.deepEqual(pick(after, having('push state')), pick(source, having('push state')))
  })
})

describe('amounts', () => {
  const cases: readonly [number, number, number][] = [
    [0.1, 0.2, 0.3],
    [1.005, 0, 1.005],
    [0, -2.5, -2.5],
    [19.99, 0.01, 20],
    [2 ** 53, 2 ** 53, 2 ** 54],
    [Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE],
  ]
  for (const [a, b, sum] of cases) {
    test(`${a} and ${b} are ${sum}`, () => {
      assert.equal(
        mergeStates(someone({ total_revenue: a }), someone({ total_revenue: b }), options).total_revenue,
        sum,
      )
    })
  }

  test('a count stops at the largest value of its column', () => {
    const sum = (a: number, b: number) =>
      mergeStates(someone({ session_count: a }), someone({ session_count: b }), options)
    assert.equal(sum(countMax - 1, 1).session_count, countMax)
    assert.equal(sum(countMax, 1).session_count, countMax)
  })
})

const appUse = fc
  .uniqueArray(
    fc.record({
      app_id: fc.constantFrom('a', 'b', 'c'),
      version: word,
      sessions: fc.nat(100),
      first_used: moment,
      last_used: moment,
      uninstalled_at: moment,
    }),
    { selector: (app) => app.app_id },
  )
  .map((apps): AppUseState[] => apps)

describe('use of apps', () => {
  test('laws of two people who used apps', () => {
    const property = fc.property(appUse, appUse, (kept, merged) => {
      const after = new Map(mergeAppUse(kept, merged).map((app) => [app.app_id, app]))
      assert.deepEqual([...after.keys()].sort(), merged.map((app) => app.app_id).sort())
      for (const app of merged) {
        const own = kept.find(({ app_id }) => app_id === app.app_id)
        const now = after.get(app.app_id)!
        if (!own) {
          assert.deepEqual(now, { ...app, sessions: 0 })
          continue
        }
        assert.equal(now.sessions, own.sessions + app.sessions)
        assert.equal(now.first_used ?? 99, Math.min(own.first_used ?? 99, app.first_used ?? 99))
        assert.equal(now.last_used ?? 0, Math.max(own.last_used ?? 0, app.last_used ?? 0))
        const last = (app.last_used ?? 0) > (own.last_used ?? 0) ? app : own
        assert.equal(now.uninstalled_at, last.uninstalled_at)
        assert.equal(now.version, last.version ?? (last === app ? own : app).version)
      }
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })
})
