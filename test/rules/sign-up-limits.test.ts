import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../src/base/http/caller-ip.ts'
import { formatShownAt, openedForMs } from '../../src/messaging/sign-up/form-time.ts'
import { builtInLanguages, wordingOf } from '../../src/messaging/sign-up/wording.ts'
import { confirmationSentence, stateOf } from '../../src/people/confirmations/confirmation.ts'
import { planRequest, resendPauseMs } from '../../src/people/confirmations/plan-request.ts'
import { sendsDefault, validHoursDefault } from '../../src/workspace/settings/double-opt-in.ts'

const hourMs = 3_600_000
const nowMs = Date.UTC(2030, 0, 1)
const address = 'ada@example.com'

const waiting = (more: { sent_count?: number; sentAgoMs?: number; leftMs?: number; confirmed_at?: Date } = {}) => ({
  address,
  confirmed_at: more.confirmed_at ?? null,
  expires_at: new Date(nowMs + (more.leftMs ?? hourMs)),
  sent_at: new Date(nowMs - (more.sentAgoMs ?? hourMs)),
  sent_count: more.sent_count ?? 1,
  keyword: null,
})

test('a first request sends one mail, whose link works for the hours of the group', () => {
  assert.deepEqual(planRequest(undefined, address, {}, nowMs), {
    isNew: true,
    sentCount: 1,
    expiresMs: nowMs + validHoursDefault * hourMs,
  })
  assert.deepEqual(planRequest(undefined, address, { valid_hours: 1 }, nowMs), {
    isNew: true,
    sentCount: 1,
    expiresMs: nowMs + hourMs,
  })
})

test('a mail is sent again one time less than the limit, and not above it', () => {
  for (const max of [1, 2, sendsDefault]) {
    for (const sent_count of [max - 1, max, max + 1]) {
      if (sent_count === 0) continue
      const plan = planRequest(waiting({ sent_count }), address, { sends_max: max }, nowMs)
      if (sent_count < max) {
        assert.deepEqual(plan, {
          isNew: false,
          sentCount: sent_count + 1,
          expiresMs: nowMs + validHoursDefault * hourMs,
        })
      } else assert.equal(plan, 'exhausted')
    }
  }
})

test('no mail is sent within the pause, but for an administrator', () => {
  for (const sentAgoMs of [resendPauseMs - 1, resendPauseMs, resendPauseMs + 1]) {
    const plan = planRequest(waiting({ sentAgoMs }), address, {}, nowMs)
    assert.equal(typeof plan === 'string' ? plan : 'sent', sentAgoMs < resendPauseMs ? 'paused' : 'sent')
    assert.equal(typeof planRequest(waiting({ sentAgoMs }), address, {}, nowMs, true), 'object')
  }
  const exhausted = waiting({ sent_count: sendsDefault })
  assert.equal(planRequest(exhausted, address, {}, nowMs, true), 'exhausted')
})

test('after the expiry, a confirmation or a change of the address the question is a new one', () => {
  const spent = { sent_count: sendsDefault, sentAgoMs: 0 }
  for (const leftMs of [-1, 0, 1]) {
    const plan = planRequest(waiting({ ...spent, leftMs }), address, {}, nowMs)
    assert.equal(typeof plan === 'string' ? plan : plan.isNew, leftMs > 0 ? 'exhausted' : true)
    assert.equal(stateOf(waiting({ leftMs }), nowMs), leftMs > 0 ? 'pending' : 'expired')
  }
  for (const [before, to] of [
    [waiting({ ...spent, confirmed_at: new Date(nowMs) }), address],
    [waiting(spent), 'other@example.com'],
  ] as const) {
    const plan = planRequest(before, to, {}, nowMs)
    assert.ok(typeof plan === 'object' && plan.isNew && plan.sentCount === 1)
  }
})

test('the sentence says until when the link works', () => {
  const open = waiting({ leftMs: hourMs })
  assert.equal(
    confirmationSentence(open, 'News', nowMs),
    'The person has not confirmed the group "News" yet; the link expires on 2030-01-01T01:00:00.000Z. One mail was ordered.',
  )
  assert.equal(
    confirmationSentence({ ...open, sent_count: 2 }, 'News', nowMs + hourMs),
    'The person has not confirmed the group "News"; the link expired on 2030-01-01T01:00:00.000Z. 2 mails were ordered.',
  )
  assert.equal(
    confirmationSentence({ ...open, confirmed_at: new Date(nowMs) }, 'News', nowMs),
    'The person confirmed the group "News" on 2030-01-01T00:00:00.000Z.',
  )
})

test('the sentence of a text says which reply counts, and until when', () => {
  const open = { ...waiting({ leftMs: hourMs }), keyword: 'JA' }
  assert.equal(
    confirmationSentence(open, 'News', nowMs),
    'The person has not confirmed the group "News" yet; the reply JA counts until 2030-01-01T01:00:00.000Z. One text was ordered.',
  )
  assert.equal(
    confirmationSentence({ ...open, sent_count: 2 }, 'News', nowMs + hourMs),
    'The person has not confirmed the group "News"; the reply JA counted until 2030-01-01T01:00:00.000Z. 2 texts were ordered.',
  )
})

test('the time on a page counts only with its signature, and for its form', () => {
  const secret = Buffer.from('secret')
  const key = { workspace_id: 1, form_id: 'a' }
  const text = formatShownAt(key, nowMs, secret)
  assert.equal(openedForMs(key, text, nowMs + 1_999, secret), 1_999)
  assert.equal(openedForMs(key, text, nowMs - 5, secret), 0)
  const later = formatShownAt(key, nowMs - hourMs, secret)
  const forged = `${later.slice(0, later.indexOf('.'))}${text.slice(text.indexOf('.'))}`
  for (const [of, given, by] of [
    [key, forged, secret],
    [key, text.slice(0, -1), secret],
    [key, '', secret],
    [key, text, Buffer.from('other')],
    [{ workspace_id: 2, form_id: 'a' }, text, secret],
    [{ workspace_id: 1, form_id: 'b' }, text, secret],
  ] as const) {
    assert.equal(openedForMs(of, given, nowMs, by), undefined, given)
  }
})

test('every language has every built-in text, with the group where English has it', () => {
  const texts = (wording: object): [string, string][] =>
    Object.entries(wording).flatMap(([part, each]) =>
      Object.entries(each as object).map(([name, text]): [string, string] => [`${part}.${name}`, String(text)]),
    )
  const english = new Map(texts(wordingOf('en')))
  for (const [language, wording] of builtInLanguages) {
    const own = texts(wording)
    assert.deepEqual(own.map(([name]) => name).sort(), [...english.keys()].sort(), language)
    for (const [name, text] of own) {
      assert.notEqual(text, '', `${language} ${name}`)
      for (const hole of ['{group}', '{hours}']) {
        assert.equal(text.includes(hole), english.get(name)!.includes(hole), `${language} ${name} ${hole}`)
      }
    }
  }
  assert.equal(wordingOf('de-AT'), wordingOf('de'))
  assert.equal(wordingOf('xx'), wordingOf('en'))
})

test('of an IP address only its network is kept', () => {
  assert.deepEqual(['192.0.2.77', '::ffff:192.0.2.77', '2001:db8:1:2:3:4:5:6', 'unknown', ''].map(networkOf), [
    '192.0.2.0/24',
    '192.0.2.0/24',
    '2001:db8:1::/48',
    null,
    null,
  ])
})
