import assert from 'node:assert/strict'
import test from 'node:test'
import { type SmtpFailure, type SmtpStage, smtpOutcome } from '../../src/messaging/mail/smtp-outcome.ts'
import { type ConsentFacts, checkConsent, type RequiredState } from '../../src/people/addresses/consent.ts'

const facts: ConsentFacts = { address: 'a@example.com', state: 'subscribed', stateAtMs: null, suppression: null }
const changedMs = Date.UTC(2027, 0, 2)

test('consent follows from the subscription state and the state that the message requires', () => {
  const table = [
    ['opted_in', 'opted_in subscribed all'],
    ['subscribed', 'subscribed all'],
    ['unsubscribed', 'all'],
  ] as const
  for (const [state, reached] of table) {
    for (const wanted of ['opted_in', 'subscribed', 'all'] as const satisfies readonly RequiredState[]) {
      const refusal = checkConsent({ ...facts, state, stateAtMs: changedMs }, wanted)
      assert.equal(
        refusal?.reason,
        reached.split(' ').includes(wanted) ? undefined : 'unsubscribed',
        `${state} ${wanted}`,
      )
      if (refusal) assert.deepEqual(refusal.inputs, { email_subscribe: state, as_of: '2027-01-02T00:00:00.000Z' })
    }
  }
})

test('a suppressed or missing address gets nothing, whatever state the message requires', () => {
  for (const wanted of ['opted_in', 'subscribed', 'all'] as const) {
    const suppression = { reason: 'hard_bounce', atMs: changedMs }
    const refusal = checkConsent({ ...facts, state: 'opted_in', suppression }, wanted)
    assert.equal(refusal?.reason, 'suppressed')
    assert.deepEqual(refusal?.inputs, { suppressed: 'hard_bounce', as_of: '2027-01-02T00:00:00.000Z' })
    assert.equal(checkConsent({ ...facts, address: null, suppression }, wanted)?.reason, 'no_address')
  }
})

const replied = (command: string, response: string): SmtpFailure => ({
  message: `it failed: ${response}`,
  code: 'EENVELOPE',
  command,
  response,
  responseCode: Number(response.slice(0, 3)),
})
const silent: SmtpFailure = { message: 'Connection closed unexpectedly', code: 'ECONNECTION', command: 'CONN' }

test('a failed delivery is classified by its phase and the reply of the server', () => {
  const table: readonly [SmtpFailure, SmtpStage, string][] = [
    [silent, 'connecting', 'unreached'],
    [silent, 'envelope', 'unreached'],
    [silent, 'content', 'uncertain'],
    [{ ...silent, code: 'EDNS' }, 'connecting', 'unreached'],
    [{ ...silent, code: 'ETIMEDOUT' }, 'content', 'uncertain'],
    [{ ...silent, code: 'EABORT' }, 'content', 'uncertain'],
    [replied('CONN', '554 5.3.2 not now'), 'connecting', 'unreached'],
    [replied('CONN', '421 too many'), 'connecting', 'unreached'],
    [replied('EHLO', '550 go away'), 'connecting', 'unreached'],
    [replied('AUTH PLAIN', '535 5.7.8 no'), 'connecting', 'unreached'],
    [replied('MAIL FROM', '530 5.7.0 who are you'), 'envelope', 'unreached'],
    [replied('MAIL FROM', '503 not so'), 'envelope', 'unreached'],
    [replied('MAIL FROM', '550 5.1.1 you are not'), 'envelope', 'refused policy'],
    [replied('MAIL FROM', '452 4.3.1 full'), 'envelope', 'deferred'],
    [replied('RCPT TO', '550 5.1.1 no such user'), 'envelope', 'refused hard'],
    [replied('RCPT TO', '550 5.7.1 we do not like you'), 'envelope', 'refused policy'],
    [replied('RCPT TO', '552 5.2.2 mailbox full'), 'envelope', 'refused soft'],
    [replied('RCPT TO', '450 4.7.1 greylisted'), 'envelope', 'deferred throttled'],
    [replied('RCPT TO', '451 4.3.0 later'), 'envelope', 'deferred throttled'],
    [replied('RCPT TO', '452 4.2.2 full'), 'envelope', 'deferred'],
    [replied('CONN', '421 4.7.0 slow down'), 'envelope', 'deferred throttled'],
    [replied('DATA', '454 4.7.0 slow down'), 'content', 'deferred throttled'],
    [replied('DATA', '550 5.1.1 nobody there'), 'content', 'refused hard'],
    [replied('DATA', '554 5.6.0 no'), 'content', 'refused policy'],
  ]
  for (const [failure, stage, expected] of table) {
    const outcome = smtpOutcome(failure, stage)
    const words = [
      outcome.kind,
      'bounce' in outcome && outcome.bounce,
      'throttled' in outcome && outcome.throttled && 'throttled',
    ]
    assert.equal(words.filter(Boolean).join(' '), expected, `${failure.message} ${failure.command} ${stage}`)
  }
  const refused = smtpOutcome(replied('RCPT TO', '550-5.1.1 no\n550 5.1.1 such user'), 'envelope')
  assert.deepEqual(refused, {
    kind: 'refused',
    bounce: 'hard',
    code: 550,
    enhanced: '5.1.1',
    response: '550-5.1.1 no\n550 5.1.1 such user',
  })
})
