import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { dayMs, many, newEmail, newId, newPhone, peopleOf, texts } from '../support/people.ts'

const path = '/email/unsubscribes'
const listedMax = 500

type Asked = Readonly<Record<string, string | number>>
type Row = { readonly email: string; readonly unsubscribed_at: string }

for (const database of drawDatabases('email-unsubscribes')) {
  describe(`GET ${path} (${database})`, () => {
    // Each test unsubscribes people on its own days.
    const people = peopleOf(database, { env: { EASEL_CLOCK: 'virtual' } })

    const now = async () => Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
    /** Moves the clock to the noon of a day that no other test uses. Returns that day and its neighbours in milliseconds. */
    const newDay = async () => {
      const day = Math.floor((await now()) / dayMs) * dayMs + 3 * dayMs
      await people.service.admin('POST', '/admin/clock', { now: new Date(day + dayMs / 2).toISOString() })
      return day
    }
    const dated = (ms: number) => new Date(ms).toISOString().slice(0, 10)

    const unsubscribe = async (...emails: string[]) => {
      const { status, text } = await people.send('/email/status', { email: emails, subscription_state: 'unsubscribed' })
      assert.equal(status, 201, text)
    }

    const ask = (query: Asked) =>
      people.get(`${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`)

    const list = async (query: Asked): Promise<readonly Row[]> => {
      const { status, text, body } = await ask(query)
      assert.equal(status, 200, text)
      assert.match(text, /"message":"success"\}$/)
      return (body as unknown as { emails: Row[] }).emails
    }
    const listed = async (query: Asked) => (await list(query)).map(({ email }) => email)

    const refuses = async (query: Asked, message: string) => {
      const { status, body } = await ask(query)
      assert.equal(status, 400, JSON.stringify(query))
      assert.deepEqual(body, { message })
    }

    /** Creates a person with a new address, and unsubscribes it in the given way. */
    const newPerson = async (way: 'by the address' | 'by the person') => {
      const email = newEmail()
      if (way === 'by the person') await people.set({ external_id: newId(), email, email_subscribe: 'unsubscribed' })
      else {
        await people.set({ external_id: newId(), email })
        await unsubscribe(email)
      }
      return email
    }

    test('the answer has the recorded shape', async () => {
      const day = await newDay()
      const email = await newPerson('by the address')
      const query = { start_date: dated(day), end_date: dated(day + dayMs) }
      const { text } = await ask(query)
      const unsubscribed_at = `${dated(day)} 12:00:00 +0000`
      assert.equal(text, JSON.stringify({ emails: [{ email, unsubscribed_at }], message: 'success' }))
      assert.deepEqual(await list({ start_date: dated(day - dayMs), end_date: dated(day) }), [])
    })

    test('a day begins at midnight UTC, and both days of a range are included', async () => {
      const day = await newDay()
      const [midnight, late] = [day + dayMs, day + 2 * dayMs - 1]
      const emails: string[] = []
      for (const ms of [midnight, late]) {
        await people.service.admin('POST', '/admin/clock', { now: new Date(ms).toISOString() })
        emails.push(await newPerson('by the person'))
      }
      assert.deepEqual(await listed({ start_date: dated(day), end_date: dated(midnight) }), [])
      const range = { start_date: dated(midnight), end_date: dated(day + 2 * dayMs) }
      assert.deepEqual(await listed(range), emails.toReversed())
      assert.deepEqual(await listed({ start_date: dated(day + 2 * dayMs), end_date: dated(day + 3 * dayMs) }), [])
    })

    test('the newest entries come first by default, and last when requested', async () => {
      const day = await newDay()
      const emails = []
      for (const way of ['by the address', 'by the person', 'by the address'] as const) {
        emails.push(await newPerson(way))
        await people.service.advance('PT1M')
      }
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      assert.deepEqual(await listed(range), emails.toReversed())
      assert.deepEqual(await listed({ ...range, sort_direction: 'desc' }), emails.toReversed())
      assert.deepEqual(await listed({ ...range, sort_direction: 'asc' }), emails)
      assert.deepEqual(await listed({ ...range, sort_direction: '' }), emails.toReversed())
    })

    test('an address is listed once, with its latest time, however many people have it', async () => {
      const day = await newDay()
      const email = newEmail()
      const ids = many(3, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, email })))
      for (const external_id of ids) {
        await people.service.advance('PT1M')
        await people.set({ external_id, email_subscribe: 'unsubscribed' })
      }
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      const row = { email, unsubscribed_at: `${dated(day)} 12:03:00 +0000` }
      assert.deepEqual(await list(range), [row])
      assert.deepEqual(await list({ ...range, sort_direction: 'asc' }), [row])
      assert.deepEqual(await list({ end_date: dated(day), email }), [row])
    })

    test('resubscribed people, people without an address and addresses without a person are not listed', async () => {
      const day = await newDay()
      const [again, stays] = [await newPerson('by the person'), await newPerson('by the address')]
      await people.set({ email: again, email_subscribe: 'subscribed' })
      await people.set({ external_id: newId(), phone: newPhone(), email_subscribe: 'unsubscribed' })
      await unsubscribe(newEmail())
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      assert.deepEqual(await listed(range), [stays])
      await people.set({ email: stays, email_subscribe: 'opted_in' })
      assert.deepEqual(await listed(range), [])
    })

    test('an address with a stored state is listed when a person has it, with the time of the state', async () => {
      const day = await newDay()
      const email = newEmail()
      await unsubscribe(email)
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      assert.deepEqual(await list(range), [])
      await people.service.advance('P2D')
      await people.set({ external_id: newId(), email })
      assert.deepEqual(await list(range), [{ email, unsubscribed_at: `${dated(day)} 12:00:00 +0000` }])
    })

    test('a person with a new address is listed with the new one', async () => {
      const day = await newDay()
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email: newEmail(), email_subscribe: 'unsubscribed' })
      await people.set({ external_id, email })
      assert.deepEqual(await listed({ start_date: dated(day), end_date: dated(day + dayMs) }), [email])
    })

    test('an address is found whatever its date, also when dates are given', async () => {
      const day = await newDay()
      const email = await newPerson('by the address')
      const row = { email, unsubscribed_at: `${dated(day)} 12:00:00 +0000` }
      const far = '2001-01-01'
      const queries: readonly Asked[] = [
        { end_date: dated(day + dayMs), email },
        { end_date: far, email: email.toUpperCase() },
        { end_date: far, start_date: dated(day), email },
        { end_date: far, start_date: far, email, limit: 1 },
        { end_date: `${far}T00:00:00+02:00`, email },
      ]
      for (const query of queries) assert.deepEqual(await list(query), [row], JSON.stringify(query))
      assert.deepEqual(await list({ end_date: far, email, offset: 1 }), [])
      assert.deepEqual(await list({ end_date: far, email, limit: 0 }), [])
      assert.deepEqual(await list({ end_date: far, email: newEmail() }), [])
      await people.set({ email, email_subscribe: 'subscribed' })
      assert.deepEqual(await list({ end_date: far, email }), [])
    })

    test('a page has 100 entries by default and 500 at most', async () => {
      const day = await newDay()
      const emails = many(listedMax + 1, () => newEmail())
      for (let from = 0; from < emails.length; from += 50) {
        await people.set(...emails.slice(from, from + 50).map((email) => ({ email, email_subscribe: 'unsubscribed' })))
      }
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      const counts = [
        [{}, 100],
        [{ limit: 0 }, 0],
        [{ limit: 1 }, 1],
        [{ limit: listedMax - 1 }, listedMax - 1],
        [{ limit: listedMax }, listedMax],
        [{ limit: listedMax + 1 }, listedMax],
        [{ limit: 999_999_999 }, listedMax],
        [{ limit: listedMax, offset: 2 }, listedMax - 1],
        [{ offset: listedMax + 1 }, 0],
        [{ offset: 999_999_999 }, 0],
      ] as const
      for (const [page, count] of counts) {
        assert.equal((await list({ ...range, ...page })).length, count, JSON.stringify(page))
      }
      const pages = []
      for (let offset = 0; offset <= listedMax; offset += 167)
        pages.push(...(await listed({ ...range, limit: 167, offset })))
      assert.deepEqual(pages.toSorted(), emails.toSorted())
    })

    test('a request without end_date, or without start_date and email, is a 400', async () => {
      await refuses({}, "'end_date' is required")
      await refuses({ start_date: '2020-01-01' }, "'end_date' is required")
      await refuses({ email: newEmail() }, "'end_date' is required")
      await refuses({ end_date: '', email: newEmail() }, "'end_date' is required")
      await refuses({ end_date: '2020-01-01' }, "Either 'start_date' or 'email' must be provided")
      await refuses(
        { end_date: '2020-01-01', start_date: '', email: '' },
        "Either 'start_date' or 'email' must be provided",
      )
    })

    test('a range that ends before it begins is a 400', async () => {
      const message = "'end_date' must be after 'start_date'"
      await refuses({ start_date: '2020-02-01', end_date: '2020-01-01' }, message)
      await refuses({ start_date: '2020-02-01', end_date: '2020-02-01' }, message)
    })

    test('an invalid date is a 400', async () => {
      const bad = [
        '2020-02-30',
        '2020-1-1',
        '01/02/2020',
        '2020-02-30T00:00:00Z',
        'today',
        '20200101',
        '-001-01-01',
        '\u0000',
      ]
      for (const text of bad) {
        await refuses({ start_date: '2020-01-01', end_date: text }, "'end_date' is not valid")
        await refuses({ start_date: text, end_date: '2020-01-01' }, "'start_date' is not valid")
      }
      assert.equal((await ask({ start_date: '0000-01-01', end_date: '9999-12-31' })).status, 200)
      assert.equal((await ask({ start_date: '2024-02-29T09:30:00.000+02:00', end_date: '2024-03-01' })).status, 200)
    })

    test('an invalid limit, offset, direction or address is a 400', async () => {
      const range = { start_date: '2020-01-01', end_date: '2020-01-02' }
      for (const text of ['-1', '1.5', 'all', '1e3', '9999999999']) {
        await refuses({ ...range, limit: text }, "'limit' is not valid")
        await refuses({ ...range, offset: text }, "'offset' is not valid")
      }
      for (const text of ['up', 'DESC', '1'])
        await refuses({ ...range, sort_direction: text }, "'sort_direction' is not valid")
      await refuses({ ...range, email: 'no e-mail' }, texts.badEmail)
    })
  })
}
