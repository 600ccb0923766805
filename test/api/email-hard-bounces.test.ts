import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { dayMs, many, newEmail, newId, texts } from '../support/people.ts'

const listedMax = 500
const emailsMax = 50
const paths = {
  list: '/email/hard_bounces',
  bounce: '/email/bounce/remove',
  spam: '/email/spam/remove',
  block: '/email/blocklist',
} as const
const changing = [paths.bounce, paths.spam, paths.block, '/email/blacklist'] as const

type Asked = Readonly<Record<string, string | number>>
type Row = { readonly email: string; readonly hard_bounced_at: string }
type Suppression = {
  readonly address: string | null
  readonly reason: string
  readonly told: string | null
  readonly at: string
}

for (const database of drawDatabases('email-hard-bounces')) {
  describe(`bounces and suppressions over the interface (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' } })

    const now = async () => Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
    /** Moves the clock to the noon of a day that no other test uses. Returns that day and its neighbours in milliseconds. */
    const newDay = async () => {
      const day = Math.floor((await now()) / dayMs) * dayMs + 3 * dayMs
      await people.service.admin('POST', '/admin/clock', { now: new Date(day + dayMs / 2).toISOString() })
      return day
    }
    const dated = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    const query = (asked: Asked) => new URLSearchParams(Object.entries(asked).map(([k, v]) => [k, String(v)]))
    const ask = (asked: Asked) => people.get(`${paths.list}?${query(asked)}`)
    const list = async (asked: Asked): Promise<readonly Row[]> => {
      const { status, text, body } = await ask(asked)
      assert.equal(status, 200, text)
      return (body as unknown as { emails: Row[] }).emails
    }
    const done = async (path: string, email: unknown) => {
      const { status, text } = await people.send(path, { email })
      assert.deepEqual([status, text], [201, '{"message":"success"}'])
    }
    const suppress = (email: unknown, reason: string, told?: string) =>
      people.service.admin('POST', '/admin/suppressions', { email, reason, ...(told && { told }) })
    const suppressions = async (asked: Asked): Promise<{ suppressions: Suppression[]; cursor?: string }> =>
      (await people.service.admin('GET', `/admin/suppressions?${query(asked)}`)).body
    const reasonsOf = async (address: string) =>
      (await suppressions({ address })).suppressions.map(({ reason }) => reason).toSorted()
    const newPerson = async (more: object = {}) => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email, ...more })
      return { external_id, email }
    }
    const stateOf = async (external_id: string) =>
      (await people.person(external_id, ['email_subscribe'])).email_subscribe

    test('the list has the recorded shape: newest first, each address once', async () => {
      const day = await newDay()
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      assert.equal((await ask(range)).text, '{"emails":[],"message":"success"}')
      const [one, other] = [newEmail(), newEmail()]
      await suppress(one, 'hard_bounce')
      await people.service.advance('PT1M')
      await done(paths.block, other)
      const rows = [
        { email: other, hard_bounced_at: `${dated(day)} 12:01:00 +0000` },
        { email: one, hard_bounced_at: `${dated(day)} 12:00:00 +0000` },
      ]
      assert.equal((await ask(range)).text, JSON.stringify({ emails: rows, message: 'success' }))
      await people.service.advance('PT1M')
      await done(paths.block, one)
      assert.deepEqual(await list(range), [{ ...rows[1]!, hard_bounced_at: `${dated(day)} 12:02:00 +0000` }, rows[0]!])
      await suppress(newEmail(), 'spam')
      await suppress(newEmail(), 'soft_bounces')
      assert.equal((await list(range)).length, 2)
      assert.deepEqual(await list({ start_date: dated(day - dayMs), end_date: dated(day) }), [])
    })

    test('an address is found whatever its date, also when dates are given', async () => {
      const day = await newDay()
      const email = newEmail()
      await suppress(email, 'hard_bounce')
      const row = { email, hard_bounced_at: `${dated(day)} 12:00:00 +0000` }
      const far = '2001-01-01'
      assert.deepEqual(await list({ end_date: far, email: email.toUpperCase() }), [row])
      assert.deepEqual(await list({ end_date: far, start_date: far, email, limit: 1 }), [row])
      assert.deepEqual(await list({ end_date: far, email, offset: 1 }), [])
      assert.deepEqual(await list({ end_date: far, email, limit: 0 }), [])
      assert.deepEqual(await list({ end_date: far, email: newEmail() }), [])
    })

    test('a page has 100 entries by default and 500 at most', async () => {
      const day = await newDay()
      const emails = many(listedMax + 1, () => newEmail())
      for (let from = 0; from < emails.length; from += emailsMax) {
        await suppress(emails.slice(from, from + emailsMax), 'hard_bounce')
      }
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      const counts = [
        [{}, 100],
        [{ limit: 0 }, 0],
        [{ limit: listedMax - 1 }, listedMax - 1],
        [{ limit: listedMax }, listedMax],
        [{ limit: listedMax + 1 }, listedMax],
        [{ limit: listedMax, offset: 2 }, listedMax - 1],
        [{ offset: listedMax + 1 }, 0],
      ] as const
      for (const [page, count] of counts) assert.equal((await list({ ...range, ...page })).length, count)
      const paged: (string | null)[] = []
      let cursor: string | undefined
      do {
        const page = await suppressions({ reason: 'hard_bounce', limit: 167, ...(cursor && { cursor }) })
        paged.push(...page.suppressions.filter(({ at }) => at.startsWith(dated(day))).map(({ address }) => address))
        cursor = page.cursor
      } while (cursor)
      assert.deepEqual(paged.toSorted(), emails.toSorted())
    })

    test('an invalid query is a 400', async () => {
      const range = { start_date: '2020-01-01', end_date: '2020-01-02' }
      const wrong: readonly (readonly [Asked, string])[] = [
        [{}, "'end_date' is required"],
        [{ email: newEmail() }, "'end_date' is required"],
        [{ end_date: '2020-01-01' }, "Either 'start_date' or 'email' must be provided"],
        [{ start_date: '2020-01-02', end_date: '2020-01-02' }, "'end_date' must be after 'start_date'"],
        [{ ...range, end_date: '2020-02-30' }, "'end_date' is not valid"],
        [{ ...range, start_date: '\u0000' }, "'start_date' is not valid"],
        [{ ...range, limit: -1 }, "'limit' is not valid"],
        [{ ...range, offset: '1e3' }, "'offset' is not valid"],
        [{ ...range, email: 'no e-mail' }, texts.badEmail],
      ]
      for (const [asked, message] of wrong) {
        const { status, body } = await ask(asked)
        assert.deepEqual([status, body], [400, { message }], JSON.stringify(asked))
      }
    })

    test('a blocked address is suppressed and its people are unsubscribed, now and later, and it is listed as bounced', async () => {
      for (const path of [paths.block, '/email/blacklist']) {
        const { external_id, email } = await newPerson({ email_subscribe: 'opted_in' })
        const nobodys = newEmail()
        await done(path, [email.toUpperCase(), nobodys])
        assert.equal(await stateOf(external_id), 'unsubscribed')
        assert.deepEqual(await reasonsOf(email), ['blocklist'])
        const later = newId()
        await people.set({ external_id: later, email: nobodys })
        assert.equal(await stateOf(later), 'unsubscribed')
        await done(path, email)
        assert.deepEqual(await reasonsOf(email), ['blocklist'])
      }
    })

    test('an address that is removed from the bounce list keeps its complaints and its state', async () => {
      const { external_id, email } = await newPerson()
      for (const reason of ['hard_bounce', 'soft_bounces', 'spam']) await suppress(email, reason)
      await done(paths.block, email)
      await done(paths.bounce, email.toUpperCase())
      assert.deepEqual(await reasonsOf(email), ['spam'])
      assert.equal(await stateOf(external_id), 'unsubscribed')
      await done(paths.bounce, [email, newEmail()])
    })

    test('an address that is removed from the spam list loses the spam mark of all its people, and keeps its bounces', async () => {
      const { external_id, email } = await newPerson({ marked_email_as_spam_at: '2024-01-01' })
      const other = newId()
      await people.set({ external_id: other, email, marked_email_as_spam_at: '2024-01-02' })
      for (const reason of ['hard_bounce', 'spam']) await suppress(email, reason)
      const isMarked = async (id: string) => (await people.markedAt(id)) !== null
      assert.deepEqual([await isMarked(external_id), await isMarked(other)], [true, true])
      await done(paths.spam, [email])
      assert.deepEqual([await isMarked(external_id), await isMarked(other)], [false, false])
      assert.deepEqual(await reasonsOf(email), ['hard_bounce'])
    })

    test('a request names one address or up to 50, and all must be valid', async () => {
      for (const path of changing) {
        await people.refused(path, [], 'The request body must be an object')
        for (const email of [undefined, null, '', []]) await people.refused(path, { email }, "'email' is required")
        for (const email of ['nobody', 7, true, {}, [['a@b.example']], 'a\u0000@b.example', '\ud800@b.example']) {
          await people.refusedItems(path, { email }, texts.badEmail, 'email', [0])
        }
        await people.refusedItems(path, { email: [newEmail(), 'nobody', null] }, texts.badEmail, 'email', [1, 2])
        for (const count of [emailsMax - 1, emailsMax])
          await done(
            path,
            many(count, () => newEmail()),
          )
        await people.refused(path, { email: many(emailsMax + 1, () => newEmail()) }, texts.tooManyIds)
      }
    })

    test('each endpoint requires its own permission', async () => {
      const permissions = ['email.hard_bounces', 'email.bounce.remove', 'email.spam.remove', 'email.blacklist']
      const range = `${paths.list}?start_date=2020-01-01&end_date=2020-01-02`
      for (const permission of permissions) {
        const key = await people.service.key([permission])
        const may = async (path: string) =>
          (await people.service.post(path, { email: newEmail() }, { key })).status < 300
        const got = [
          (await people.service.get(range, { key })).status === 200,
          ...(await Promise.all(changing.map(may))),
        ]
        const at = permissions.indexOf(permission)
        assert.deepEqual(got, [at === 0, at === 1, at === 2, at === 3, at === 3], permission)
      }
    })

    test('an administrator can suppress addresses and remove suppressions', async () => {
      const email = newEmail()
      await suppress(email, 'blocklist', 'asked by phone')
      const { suppressions: page } = await suppressions({ address: email.toUpperCase() })
      assert.deepEqual(page, [{ address: email, reason: 'blocklist', told: 'asked by phone', at: page[0]!.at }])
      await suppress(email, 'spam')
      const remove = (body: object) => people.service.admin('DELETE', '/admin/suppressions', body)
      await remove({ email, reason: 'spam' })
      assert.deepEqual(await reasonsOf(email), ['blocklist'])
      await remove({ email: [email] })
      assert.deepEqual(await reasonsOf(email), [])
    })

    test('an invalid request of an administrator is a 400', async () => {
      const key = people.service.adminToken
      const refuses = async (method: string, path: string, body: unknown, message: RegExp) => {
        const answer = await people.service.send(method, path, body, { key })
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.body.message, message)
      }
      const path = '/admin/suppressions'
      const email = newEmail()
      await refuses('GET', `${path}?reason=no`, undefined, /^'reason' must be one of/)
      await refuses('GET', `${path}?address=no`, undefined, /not a valid email/)
      for (const cursor of [
        'x',
        '%00',
        Buffer.from(`${'9'.repeat(18)}.${'a'.repeat(64)}.spam`).toString('base64url'),
      ]) {
        await refuses('GET', `${path}?cursor=${cursor}`, undefined, /^'cursor' is not valid/)
      }
      for (const limit of [0, 501]) await refuses('GET', `${path}?limit=${limit}`, undefined, /^'limit' must be/)
      await refuses('POST', path, { email, reason: '__proto__' }, /^'reason' must be one of/)
      for (const told of [7, {}, 'x'.repeat(501), '\u0000']) {
        await refuses('POST', path, { email, told }, /^'told' must be/)
      }
      await refuses('DELETE', path, { email, reason: 7 }, /^'reason' must be one of/)
      await refuses('DELETE', path, {}, /^'email' is required/)
    })

    test('after the last person with an address is deleted, only the hash of the address stays suppressed', async () => {
      const day = await newDay()
      const { external_id, email } = await newPerson()
      const other = newId()
      await people.set({ external_id: other, email })
      const [former, nobodys] = [newEmail(), newEmail()]
      await people.write(external_id, { address: former })
      await suppress([email, former, nobodys], 'hard_bounce', 'no such user')
      const range = { start_date: dated(day), end_date: dated(day + dayMs) }
      await people.delete({ external_ids: [external_id] })
      assert.deepEqual((await list(range)).map((row) => row.email).toSorted(), [email, nobodys].toSorted())
      await people.delete({ external_ids: [other] })
      assert.deepEqual(
        (await list(range)).map((row) => row.email),
        [nobodys],
      )
      const [gone] = (await suppressions({ address: email })).suppressions
      assert.deepEqual([gone?.address, gone?.reason, gone?.told], [null, 'hard_bounce', null])
      assert.deepEqual(
        (await list({ ...range, email })).map((row) => row.email),
        [email],
      )
      await done(paths.bounce, [email, former])
      assert.deepEqual(await reasonsOf(email), [])
    })

    test('an address of a merged person stays suppressed', async () => {
      const [gone, kept] = [await newPerson(), await newPerson()]
      await suppress([gone.email, kept.email], 'hard_bounce')
      await people.merge({ external_id: gone.external_id }, { external_id: kept.external_id })
      for (const { email } of [gone, kept]) {
        assert.equal((await suppressions({ address: email })).suppressions[0]?.address, email)
      }
    })
  })
}
