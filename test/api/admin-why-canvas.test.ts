import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { reasons } from '../../src/messaging/ledger/reasons.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, newId, only } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

type Query = Readonly<Record<string, string>>

const steps = [
  { id: 'hello', name: 'Hello', type: 'message', channel: 'email', message: mail(), next: 'wait' },
  { id: 'wait', name: 'Wait', type: 'delay', for: 'P3D' },
]

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

for (const database of drawDatabases('admin-why-canvas')) {
  describe(`/admin/why of a canvas (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })

    const why = async (query: Query): Promise<Any> =>
      (await people.service.admin('GET', `/admin/why?${new URLSearchParams(query)}`)).body
    const now = async (): Promise<string> => (await people.service.admin('GET', '/admin/clock')).body.now

    async function make(more: Item = {}): Promise<string> {
      const given = { name: newId('canvas'), state: 'active', segment: { segment_id: 'gold' }, entry: { by: ['api'] } }
      const whole = { ...given, first: 'hello', steps, ...more }
      return (await people.service.admin('POST', '/admin/canvases', whole)).body.canvas.id
    }

    async function send(canvas_id: string, more: Item): Promise<string> {
      const { status, text, body } = await people.service.post('/canvas/trigger/send', { canvas_id, ...more })
      assert.equal(status, 201, text)
      await people.service.advance('PT1S')
      return body.dispatch_id
    }

    async function person(more: Item = {}): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, plan: 'gold', ...more })
      return external_id
    }

    test('a person in the canvas gets the step, the variant, what they wait for, and their messages', async () => {
      const canvas_id = await make()
      const external_id = await person()
      const dispatch_id = await send(canvas_id, { recipients: [{ external_user_id: external_id }] })
      const answer = await why({ external_id, canvas_id })
      assert.deepEqual(
        [answer.canvas.kind, answer.canvas.id, answer.canvas.state, answer.canvas.version],
        ['canvas', canvas_id, 'active', 1],
      )
      const entry = only(answer.entries as Any[])
      assert.deepEqual(
        [entry.state, entry.ended, entry.step, entry.step_name, entry.step_type, entry.visit, entry.dispatch_id],
        ['waiting', null, 'wait', 'Wait', 'delay', 1, dispatch_id],
      )
      assert.equal(entry.waits_for, 'the end of its delay')
      assert.match(
        entry.sentence,
        /^The person is in the canvas "[^"]+" at the step "Wait", and waits for the end of its delay\.$/,
      )
      assert.equal(Date.parse(entry.until) - Date.parse(entry.entered_at), 3 * 86_400_000)
      assert.equal(answer.sentence, `${answer.decisions[0].sentence} ${entry.sentence}`)
      const decision = only(answer.decisions as Any[])
      assert.deepEqual([decision.reason, decision.flow.id, decision.flow.step], ['sent', canvas_id, 'hello'])
      assert.deepEqual([decision.flow.entry_id, decision.dispatch.dispatch_id], [entry.entry_id, dispatch_id])
      assert.equal(decision.message.address, `${external_id}@example.com`)
      const had = only(answer.received as Any[])
      assert.deepEqual([had.entries, had.in_control, had.converted], [1, false, []])
      assert.ok(had.last_received_at)
      assert.deepEqual(answer.never_entered, [])
      // A query by order and person returns it too.
      for (const query of [{ external_id, dispatch_id }, { dispatch_id }] as Query[]) {
        assert.deepEqual((await why(query)).decisions, answer.decisions)
      }
      assert.deepEqual((await why({ external_id })).decisions, answer.decisions)
      await people.service.advance('P3D')
      const left = only((await why({ external_id, canvas_id })).entries as Any[])
      assert.deepEqual([left.state, left.ended, left.because], ['ended', 'completed', 'there was no next step'])
    })

    test('a named recipient who was refused gets the values that the decision used', async () => {
      const canvas_id = await make()
      const external_id = await person({ plan: 'free' })
      const then = await now()
      const order = await send(canvas_id, { recipients: [{ external_user_id: external_id }] })
      await people.set({ external_id, plan: 'gold' })
      const answer = await why({ external_id, canvas_id })
      const decision = only(answer.decisions as Any[])
      assert.equal(decision.reason, 'not_in_segment')
      assert.equal(decision.inputs.as_of, then)
      assert.match(JSON.stringify(decision.inputs.because), /free/)
      assert.deepEqual(only(answer.entries as Any[]).ended, 'not_in_segment')
      assert.equal(only(answer.entries as Any[]).because, reasons.not_in_segment)
      assert.equal(decision.dispatch.dispatch_id, order)
      const never = only(answer.never_entered as Any[])
      assert.equal(never.reason, 'not_in_segment')
      assert.match(never.because, /^not in segment: `plan` was "free" on /)
      assert.equal(answer.sentence, `The person has not entered the canvas "${answer.canvas.name}": ${never.because}.`)
      assert.deepEqual([never.moments[1].what, never.moments[1].dispatch_id], ['order', order])
      // Of two orders the later one is returned, whatever its reason.
      await people.service.admin('POST', `/admin/canvases/${canvas_id}/pause`)
      await people.service.advance('PT1M')
      await send(canvas_id, { recipients: [{ external_user_id: external_id }] })
      assert.equal(only((await why({ external_id, canvas_id })).never_entered as Any[]).reason, 'canvas_paused')
    })

    test('a person that an order did not select gets the values of that time, not the present ones', async () => {
      const attribute = newId('plan')
      const external_id = await person({ [attribute]: 'free' })
      const isGold = { custom_attribute: { custom_attribute_name: attribute, comparison: 'equals', value: 'gold' } }
      await people.service.advance('P1D')
      const canvas_id = await make({ segment: isGold })
      await send(canvas_id, { broadcast: true })
      const never = only((await why({ external_id, canvas_id })).never_entered as Any[])
      assert.equal(never.reason, 'not_in_segment')
      const [moment] = never.moments.slice(1)
      const { day, month, year } = Temporal.Instant.from(moment.at).toZonedDateTimeISO('UTC')
      const said = `not in segment: \`${attribute}\` was "free" on ${day} ${months[month - 1]} ${year} at `
      assert.ok(never.because.startsWith(said), `${never.because} ${said}`)
      assert.ok(never.because.endsWith(`, the rule asks: \`${attribute}\` is \`gold\``), never.because)
      // The canvas uses the attribute, so its changes are recorded from then on.
      await people.service.advance('P1D')
      await people.set({ external_id, [attribute]: 'silver' })
      await people.service.advance('P1D')
      const second = await send(canvas_id, { broadcast: true })
      await people.service.advance('P1D')
      await people.set({ external_id, [attribute]: 'gold' })
      const answer = await why({ external_id, canvas_id })
      const { moments, because } = only(answer.never_entered as Any[])
      assert.deepEqual(
        moments.map(({ what, in_segment }: Any) => [what, in_segment]),
        [
          ['now', true],
          ['order', false],
          ['order', null],
        ],
      )
      assert.equal(moments[1].dispatch_id, second)
      assert.deepEqual(
        [moments[1].because.has, moments[1].because.as_of],
        [`\`${attribute}\` was "silver"`, moments[1].at],
      )
      assert.ok(Date.parse(moments[1].because.since) < Date.parse(moments[1].at))
      assert.ok(because.startsWith(`not in segment: \`${attribute}\` was "silver" on `), because)
      // The value before the first change was not recorded.
      assert.deepEqual([moments[2].because.has, moments[2].because.as_of], [null, null])
      assert.match(
        moments[2].sentence,
        /^not known whether in segment on .*: what this person had then was not recorded/,
      )
      assert.equal(answer.because, because)
    })

    test('a person who never entered and an unknown person each get an answer that says so', async () => {
      const event = newId('event')
      const canvas_id = await make({ entry: { by: ['event'], event: { name: event } } })
      const external_id = await person({ plan: 'free' })
      const never = only((await why({ external_id, canvas_id })).never_entered as Any[])
      assert.equal(never.reason, null)
      assert.match(
        never.because,
        new RegExp(`never had the event that lets people enter: event "${event}" \\(entered by event\\)`),
      )
      assert.match(never.because, /; not in segment: `plan` was "free"/)
      const nobody = await why({ external_id: newId('nobody'), canvas_id })
      assert.deepEqual([nobody.reason, nobody.entries, nobody.never_entered], ['no_such_user', [], []])
      const later = await person()
      await people.service.advance('P1D')
      const before = only((await why({ external_id: later, canvas_id: await make() })).never_entered as Any[])
      assert.match(before.because, /no request named the person, no order selected people \(entered by api\)$/)
    })

    test('a person whose event did not match the entry rule gets the moment of that event', async () => {
      const event = newId('event')
      const canvas_id = await make({ entry: { by: ['event'], event: { name: event } } })
      const external_id = await person({ plan: 'free' })
      await people.accept({ events: [{ external_id, name: event, time: await now() }] })
      await people.service.advance('PT1M')
      const answer = await why({ external_id, canvas_id })
      const never = only(answer.never_entered as Any[])
      assert.equal(never.reason, 'not_in_segment')
      assert.deepEqual([never.moments[1].what, never.moments[1].in_segment], ['event', false])
      assert.equal(only(answer.decisions as Any[]).reason, 'not_in_segment')
    })

    test('of many people with one address five are explained, each at the latest ten moments', async () => {
      const canvas_id = await make()
      const email = `${newId()}@example.com`
      for (let i = 0; i < 4; i++) await person({ email, plan: 'free' })
      const shared = async () => (await why({ email, canvas_id })).never_entered as Any[]
      const counts: unknown[] = [(await shared()).length]
      for (let i = 0; i < 2; i++) {
        await person({ email, plan: 'free' })
        counts.push((await shared()).length)
      }
      assert.deepEqual(counts, [4, 5, 5])
      const moments: number[] = []
      for (let i = 1; i <= 11; i++) {
        await send(canvas_id, { broadcast: true })
        if (i >= 9) moments.push((await shared())[0].moments.length)
      }
      assert.deepEqual(moments, [10, 11, 11], 'the present moment is added')
    })

    test('a campaign is explained in the same way', async () => {
      const { body } = await people.service.admin('POST', '/admin/campaigns', {
        ...{ name: newId('campaign'), state: 'active', entry: { by: ['api'] } },
        messages: [{ id: 'one', name: 'One', percent: 100, email: mail() }],
      })
      const campaign_id = body.campaign.id
      const external_id = await person()
      const sent = await people.service.post('/campaigns/trigger/send', {
        ...{ campaign_id, recipients: [{ external_user_id: external_id }] },
      })
      assert.equal(sent.status, 201, sent.text)
      await people.service.advance('PT1S')
      const answer = await why({ external_id, campaign_id })
      assert.equal(answer.campaign.id, campaign_id)
      assert.equal(only(answer.entries as Any[]).ended, 'completed')
      assert.equal(only(answer.decisions as Any[]).reason, 'sent')
    })

    test('an invalid query is refused with the name of the parameter', async () => {
      const canvas_id = await make()
      const refused: readonly [string, string][] = [
        ['external_id=a&canvas_id=none', "'canvas_id' is not valid"],
        ['external_id=a&canvas_id=a%00', "'canvas_id' is not valid"],
        ['external_id=a&campaign_id=none', "'campaign_id' is not valid"],
        [`external_id=a&campaign_id=${canvas_id}`, "'campaign_id' is not valid"],
        ['external_id=a&canvas_id=a&campaign_id=b', 'Only one of canvas_id and campaign_id may be given'],
        [`canvas_id=${canvas_id}`, 'A person must be given with canvas_id or campaign_id'],
      ]
      for (const [query, message] of refused) {
        const { status, body } = await people.service.get(`/admin/why?${query}`, { key: people.service.adminToken })
        assert.deepEqual([status, body], [400, { message }], query)
      }
    })
  })
}
