import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FetchError } from '../../src/base/fetch/fetch-error.ts'
import { canvas, canvases, daily, isPlan, message } from '../support/canvases.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { apps, groups, type Item, many, newId, type People, peopleOf } from '../support/people.ts'

type Mail = { readonly to: string; readonly subject: string; readonly at: string }

const workspace = {
  settings: { time_zone: 'UTC' },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
  canvases,
}

/** Returns the next time at which clocks in UTC show a time of day. */
function nextAt(nowMs: number, time: string): string {
  const today = new Date(nowMs).toISOString().slice(0, 10)
  const ms = Date.parse(`${today}T${time}:00Z`)
  return new Date(ms > nowMs ? ms : ms + 86_400_000).toISOString()
}

type Called = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: unknown }

for (const database of drawDatabases('canvas-steps')) {
  describe(`steps of a canvas (${database})`, () => {
    const calls: Called[] = []
    let answers: (number | FetchError)[] = []
    /** How the calls for one person are answered. */
    const own = new Map<string, () => Promise<void> | Error | undefined>()
    const fetcher = {
      async fetch(url: string, asked: { headers?: Readonly<Record<string, string>>; body?: unknown } = {}) {
        calls.push({ url, headers: asked.headers ?? {}, body: asked.body })
        const answer = own.get(url.slice(url.lastIndexOf('/') + 1))?.() ?? answers.shift() ?? 200
        if (answer instanceof Promise) await answer
        if (answer instanceof Error) throw answer
        return { status: typeof answer === 'number' ? answer : 200, headers: {}, body: Buffer.alloc(0), url }
      },
      close: async () => {},
    }
    const people: People = peopleOf(database, { workspace, fetcher, env: { EASEL_CLOCK: 'virtual' } })

    async function newPerson(more: Item = {}): Promise<string> {
      const id = newId()
      await people.set({ external_id: id, email: `${id}@example.com`, ...more })
      return id
    }

    async function trigger(canvas_id: string, ...ids: string[]): Promise<void> {
      const recipients = ids.map((external_user_id) => ({
        external_user_id,
        canvas_entry_properties: { code: `for ${external_user_id}` },
      }))
      const answer = await people.send('/canvas/trigger/send', { canvas_id, recipients })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
    }

    async function mails(id: string): Promise<Mail[]> {
      const { body } = await people.service.admin('GET', `/admin/inbox?to=${id}@example.com`)
      return body.messages.toReversed()
    }

    const subjects = async (id: string) => (await mails(id)).map(({ subject }) => subject)
    const now = async (): Promise<number> => Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)

    async function happens(external_id: string, name = 'order_placed'): Promise<void> {
      await people.happen({ external_id, name, time: new Date(await now()).toISOString() })
      await people.service.advance('PT1S')
    }

    test('a message, a delay and a message happen in that order, at their times', async () => {
      const ann = await newPerson()
      const fromMs = await now()
      await trigger('waits', ann)
      await people.service.advance('P2D')
      assert.deepEqual(await subjects(ann), ['hello'])
      await people.service.advance('P2D')
      const [hello, bye] = await mails(ann)
      assert.deepEqual([hello?.subject, bye?.subject], ['hello', 'bye'])
      assert.equal(Date.parse(hello!.at), fromMs)
      assert.equal(Date.parse(bye!.at) - Date.parse(hello!.at), 3 * 86_400_000)
    })

    test('a delay until a time of day ends at that time in the zone of the person', async () => {
      const [tokyo, home] = [await newPerson({ time_zone: 'Asia/Tokyo' }), await newPerson()]
      await trigger('morning', tokyo, home)
      await people.service.advance('P8D')
      for (const [id, hour] of [
        [tokyo, 0],
        [home, 9],
      ] as const) {
        const [mail] = await mails(id)
        const at = new Date(mail!.at)
        assert.deepEqual([at.getUTCDay(), at.getUTCHours(), at.getUTCMinutes()], [1, hour, 0])
      }
    })

    test('decisions and audience paths use the state of the person at that moment', async () => {
      const [gold, silver, plain] = [
        await newPerson({ plan: 'gold' }),
        await newPerson({ plan: 'silver' }),
        await newPerson(),
      ]
      await trigger('decides', gold, silver, plain)
      await trigger('parts', gold, silver, plain)
      assert.deepEqual(await subjects(gold), ['thanks', 'golden'])
      assert.deepEqual(await subjects(silver), ['nudge', 'silvern'])
      assert.deepEqual(await subjects(plain), ['nudge', 'plain'])
    })

    test('an experiment assigns each person to one path', async () => {
      const ids = await Promise.all(many(12, () => newPerson()))
      await trigger('tries', ...ids)
      const seen = await Promise.all(ids.map(subjects))
      assert.ok(seen.every((each) => each.length === 1))
      assert.deepEqual([...new Set(seen.flat())].toSorted(), ['one', 'two'])
    })

    test('attributes that a step writes are visible to the next step, and are written once', async () => {
      const ann = await newPerson({ visits: 1 })
      await trigger('writes', ann)
      assert.deepEqual(await subjects(ann), ['Dear Ann'])
      assert.deepEqual(await people.custom(ann), { visits: 2, plan: 'gold' })
    })

    test('a person who does the awaited action in time takes one path, the others take another', async () => {
      const [quick, slow] = [await newPerson(), await newPerson()]
      await trigger('acts', quick, slow)
      await people.service.advance('P1D')
      await happens(quick)
      assert.deepEqual(await subjects(quick), ['bought'])
      assert.deepEqual(await subjects(slow), [])
      await people.service.advance('P1D')
      await happens(slow)
      assert.deepEqual(await subjects(slow), ['forgotten'])
      assert.deepEqual(await subjects(quick), ['bought'])
    })

    test('a webhook is called with the data of the person, and the canvas continues', async () => {
      const ann = await newPerson({ plan: 'gold' })
      calls.length = 0
      await trigger('calls', ann)
      const [call, ...more] = calls
      assert.deepEqual(more, [])
      assert.deepEqual(
        [call?.url, call?.body],
        [`https://hooks.example.com/${ann}`, `{"code":"for ${ann}\\"","visits":[1]}`],
      )
      assert.equal(call?.headers['Content-Type'], 'application/json')
      assert.equal(call?.headers['X-Plan'], 'gold')
      assert.match(call?.headers['Idempotency-Key'] ?? '', /^[0-9a-f-]{36}-hook-1$/)
      assert.deepEqual(await subjects(ann), ['called'])
    })

    test('a webhook that fails temporarily is called again with the same key; one that refuses is not', async () => {
      const [ann, bob] = [await newPerson(), await newPerson()]
      calls.length = 0
      answers = [503, new FetchError('timeout', 'late')]
      await trigger('calls', ann)
      assert.deepEqual([calls.length, await subjects(ann)], [1, []])
      await people.service.advance('PT1H')
      assert.equal(calls.length, 3)
      assert.equal(new Set(calls.map(({ headers }) => headers['Idempotency-Key'])).size, 1)
      assert.deepEqual(await subjects(ann), ['called'])
      answers = [404]
      await trigger('calls', bob)
      await people.service.advance('PT1H')
      assert.deepEqual([calls.length, await subjects(bob)], [4, ['called']])
    })

    test('a webhook that does not answer, or fails by a defect, delays no other person', async () => {
      const [slow, bad, ann] = [await newPerson(), await newPerson(), await newPerson()]
      const { promise, resolve } = Promise.withResolvers<void>()
      const mistakes = [new Error('a defect of Easel')]
      own.set(slow, () => promise)
      own.set(bad, () => mistakes.shift())
      calls.length = 0
      const recipients = [slow, bad, ann].map((external_user_id) => ({ external_user_id }))
      const answer = await people.send('/canvas/trigger/send', { canvas_id: 'calls', recipients })
      assert.equal(answer.status, 201, answer.text)
      await eventually('the call of ann has ended', async () => (await subjects(ann)).length > 0)
      assert.deepEqual([await subjects(ann), await subjects(slow)], [['called'], []])
      resolve()
      await people.service.advance('PT59S')
      assert.deepEqual([await subjects(slow), await subjects(bad)], [['called'], []])
      await people.service.advance('PT1S')
      assert.deepEqual(await subjects(bad), ['called'])
      const times = [slow, bad, ann].map((id) => calls.filter(({ url }) => url.endsWith(id)).length)
      assert.deepEqual(times, [1, 2, 1])
    })

    test('an exit condition interrupts a wait', async () => {
      const [ann, bob] = [await newPerson(), await newPerson()]
      await trigger('leaves', ann, bob)
      await happens(ann)
      await people.service.advance('P2D')
      assert.deepEqual(await subjects(ann), ['before'])
      assert.deepEqual(await subjects(bob), ['before', 'after'])
    })

    test('a person enters once, or again only after the configured time', async () => {
      const ann = await newPerson()
      for (const canvas_id of ['once', 'once', 'monthly', 'monthly']) await trigger(canvas_id, ann)
      assert.deepEqual(await subjects(ann), ['only', 'monthly'])
      await people.service.advance('P30D')
      for (const canvas_id of ['once', 'monthly']) await trigger(canvas_id, ann)
      assert.deepEqual(await subjects(ann), ['only', 'monthly', 'monthly'])
    })

    test('the control group gets no message, and variants get different ones', async () => {
      const ids = await Promise.all(many(16, () => newPerson()))
      await trigger('controlled', ...ids)
      const seen = await Promise.all(ids.map(subjects))
      assert.deepEqual(new Set(seen.map(({ length }) => length)), new Set([0, 1]))
      await trigger('varies', ...ids)
      const varied = await Promise.all(ids.map(subjects))
      assert.deepEqual(new Set(varied.map((each) => each.at(-1))), new Set(['a', 'b']))
    })

    test('a schedule enters people every day in their time zone', async () => {
      const [tokyo, home] = [
        await newPerson({ plan: 'daily', time_zone: 'Asia/Tokyo' }),
        await newPerson({ plan: 'daily' }),
      ]
      await people.service.admin('POST', '/admin/apply', { canvases: [daily] })
      await people.service.advance('P4D')
      for (const [id, hour] of [
        [tokyo, 0],
        [home, 9],
      ] as const) {
        const times = (await mails(id)).map(({ at }) => new Date(at))
        assert.equal(times.length, 4)
        assert.ok(times.every((at) => at.getUTCHours() === hour && at.getUTCMinutes() === 0))
        assert.equal(new Set(times.map((at) => at.getUTCDate())).size, times.length)
      }
      await people.service.admin('POST', '/admin/canvases/daily/stop')
    })

    test('a changed schedule is used from the next time on, and a removed one is not used', async () => {
      const ann = await newPerson({ plan: 'noon' })
      const noon = (at: string) =>
        canvas('noon', [message('noon')], {
          segment: isPlan('noon'),
          entry: { schedule: { at, zone: 'UTC' }, again: 'always' },
        })
      const apply = (one: Item) => people.service.admin('POST', '/admin/apply', { canvases: [one] })
      const hours = async () => (await mails(ann)).map(({ at }) => at.slice(11, 16))
      await people.service.admin('POST', '/admin/clock', { now: nextAt(await now(), '11:55') })
      await apply(noon('12:00'))
      await people.service.advance('PT2M')
      await apply(noon('12:01'))
      await people.service.advance('P1D')
      assert.deepEqual(await hours(), ['12:01'])
      await people.service.admin('POST', '/admin/clock', { now: nextAt(await now(), '11:58') })
      await apply(canvas('noon', [message('noon')], { segment: isPlan('noon') }))
      await people.service.advance('P1D')
      assert.deepEqual(await hours(), ['12:01'])
    })

    test('the entry rule of a person who waits for their hour is evaluated when it comes', async () => {
      const [stays, goes] = [await newPerson({ plan: 'gold' }), await newPerson({ plan: 'gold' })]
      const date = new Date((await now()) + 2 * 86_400_000).toISOString().slice(0, 10)
      const answer = await people.send('/canvas/trigger/schedule/create', {
        canvas_id: 'parts',
        recipients: [{ external_user_id: stays }, { external_user_id: goes }],
        audience: isPlan('gold'),
        schedule: { time: `${date}T15:00:00`, at_optimal_time: true },
      })
      assert.equal(answer.status, 201, answer.text)
      await people.service.admin('POST', '/admin/clock', { now: `${date}T14:00:00Z` })
      await people.set({ external_id: goes, plan: 'silver' })
      await people.service.advance('P1D')
      assert.deepEqual([await subjects(stays), await subjects(goes)], [['golden'], []])
      const [mail] = await mails(stays)
      assert.equal(mail!.at.slice(0, 16), `${date}T15:00`)
    })

    test('a person who waits for their hour has not entered yet, and cannot enter twice', async () => {
      const again = 'never'
      const hour = canvas('hour', [message('hour')], { segment: isPlan('gold'), entry: { by: ['api'], again } })
      await people.service.admin('POST', '/admin/apply', { canvases: [hour] })
      const [stays, goes] = [await newPerson({ plan: 'gold' }), await newPerson({ plan: 'gold' })]
      const date = new Date((await now()) + 2 * 86_400_000).toISOString().slice(0, 10)
      const order = async () => {
        const answer = await people.send('/canvas/trigger/schedule/create', {
          canvas_id: 'hour',
          recipients: [{ external_user_id: stays }, { external_user_id: goes }],
          schedule: { time: `${date}T15:00:00`, at_optimal_time: true },
        })
        assert.equal(answer.status, 201, answer.text)
      }
      const why = async (external_id: string) =>
        (await people.service.admin('GET', `/admin/why?canvas_id=hour&external_id=${external_id}`)).body
      await Promise.all([order(), order()])
      await people.service.admin('POST', '/admin/clock', { now: `${date}T14:00:00Z` })
      for (const id of [stays, goes]) {
        const { entries, received, never_entered, decisions } = await why(id)
        assert.deepEqual(entries.map(({ state }: Item) => state).toSorted(), ['arriving', 'ended'])
        assert.deepEqual([received, never_entered, decisions.length], [[], [], 1])
        const [{ reason, channel, inputs }] = decisions
        assert.deepEqual([reason, channel, inputs.entries, inputs.yet_to_begin], ['already_entered', null, 0, 1])
        assert.equal(inputs.last_entered_at.slice(0, 10), date)
      }
      const dry = await people.service.admin('POST', '/admin/canvases/hour/dry_run', {
        recipients: [{ external_user_id: stays }],
      })
      assert.equal(dry.body.counts.already_entered, 1)
      await people.set({ external_id: goes, plan: 'silver' })
      await people.service.advance('PT2H')
      const [decision] = (await why(goes)).decisions
      assert.deepEqual([decision.reason, decision.inputs.as_of], ['not_in_segment', `${date}T15:00:00.000Z`])
      assert.match(decision.rule, /plan/)
      assert.match(JSON.stringify(decision.inputs.because), /silver/)
      const out = await why(goes)
      assert.deepEqual([out.received, out.never_entered[0].reason], [[], 'not_in_segment'])
      assert.match(out.never_entered[0].because, /silver/)
      const { canvases_received } = await people.person(goes, ['canvases_received'])
      assert.deepEqual(canvases_received, undefined)
      const [had] = (await why(stays)).received
      assert.deepEqual([had.entries, had.last_entered_at.slice(0, 10)], [1, date])
      await people.set({ external_id: goes, plan: 'gold' })
      await trigger('hour', stays, goes)
      assert.deepEqual([await subjects(stays), await subjects(goes)], [['hour'], ['hour']])
    })

    test('a person who waits for their hour does not enter when the order is cancelled', async () => {
      const ann = await newPerson()
      const date = new Date((await now()) + 2 * 86_400_000).toISOString().slice(0, 10)
      const { body } = await people.send('/canvas/trigger/schedule/create', {
        canvas_id: 'waits',
        recipients: [{ external_user_id: ann }],
        schedule: { time: `${date}T15:00:00`, at_optimal_time: true },
      })
      const { dispatch_id } = body as unknown as { dispatch_id: string }
      await people.service.admin('POST', '/admin/clock', { now: `${date}T14:00:00Z` })
      await people.service.admin('POST', `/admin/dispatches/${dispatch_id}/cancel`)
      await people.service.advance('P1D')
      assert.deepEqual(await subjects(ann), [])
    })

    test('a paused canvas runs no step, and a resumed one continues', async () => {
      const ann = await newPerson()
      await trigger('pauses', ann)
      await people.service.admin('POST', '/admin/canvases/pauses/pause')
      await people.service.advance('P3D')
      assert.deepEqual(await subjects(ann), ['start'])
      const bob = await newPerson()
      await trigger('pauses', bob)
      await people.service.admin('POST', '/admin/canvases/pauses/resume')
      await people.service.advance('PT1S')
      assert.deepEqual(await subjects(ann), ['start', 'end'])
      await people.service.advance('P3D')
      assert.deepEqual(await subjects(bob), [])
    })

    test('people in a stopped canvas get nothing more', async () => {
      const ann = await newPerson()
      await trigger('stops', ann)
      await people.service.admin('POST', '/admin/canvases/stops/stop')
      await people.service.advance('P3D')
      assert.deepEqual(await subjects(ann), ['start'])
    })
  })
}
