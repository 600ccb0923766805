import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { formBytesMax, formFieldsMax } from '../../src/base/http/form.ts'
import type { TokenTarget } from '../../src/people/addresses/message-token.ts'
import { handOverWaitMsMax, waitForHandOvers } from '../../src/people/addresses/wait-for-hand-over.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf, type Written } from '../support/mailed-people.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { groups, many, newEmail, newId } from '../support/people.ts'
import { join, setStates, statesOf } from '../support/subscriptions.ts'
import { assertBelow } from '../support/waits.ts'

const publicUrl = 'https://mail.example.com/easel'
const oneClick = 'List-Unsubscribe=One-Click'

for (const database of drawDatabases('unsubscribe')) {
  describe(`/u and /preferences (${database})`, () => {
    const people = mailedOf(database, { workspace: sendingWorkspace, env: { PUBLIC_URL: publicUrl } })

    const mailed = async (more: Written = {}) => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email })
      const named = await people.write(external_id, more)
      return { external_id, email, named, u: `/u/${people.token(named, 'unsubscribe')}` }
    }
    const preferencesOf = (named: TokenTarget) => `/preferences/${people.token(named, 'preferences')}`
    const stateOf = async (external_id: string) =>
      (await people.person(external_id, ['email_subscribe'])).email_subscribe

    test('one click unsubscribes, a repeated one changes nothing, and nothing else is requested or returned', async () => {
      const { external_id, named, u } = await mailed()
      for (const _ of [1, 2]) {
        const { status, headers, text } = await people.form(u, oneClick)
        assert.deepEqual([status, text], [200, 'Unsubscribed\n'])
        assert.equal(headers['set-cookie'], undefined)
        assert.equal(headers.location, undefined)
        assert.equal(await stateOf(external_id), 'unsubscribed')
      }
      assert.deepEqual(
        (await people.engaged(named)).map(({ kind, link, count }) => ({ kind, link, count })),
        [{ kind: 'unsubscribed', link: -1, count: 1 }],
      )
    })

    test('one click is accepted as multipart, in any case, and with a token in capital letters', async () => {
      const { external_id, u } = await mailed()
      const body = '--xyz\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nONE-click\r\n--xyz--\r\n'
      const headers = { 'content-type': 'multipart/form-data; boundary=xyz' }
      assert.equal((await people.form(u.toUpperCase().replace('/U/', '/u/'), body, headers)).status, 200)
      assert.equal(await stateOf(external_id), 'unsubscribed')
    })

    test('opening the page changes nothing, whatever the client and however often', async () => {
      const { external_id, named, u } = await mailed()
      for (const path of [u, preferencesOf(named)]) {
        const { status, headers, text } = await people.page(path)
        assert.equal(status, 200)
        assert.match(text, /<form method="post">/)
        if (path === u) assert.match(text, /Press the button, and <bdi>/)
        assert.equal(headers['cache-control'], 'no-store')
        assert.equal(headers['referrer-policy'], 'no-referrer')
        assert.equal(headers['x-robots-tag'], 'noindex, nofollow')
        assert.match(
          String(headers['content-security-policy']),
          /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
        )
        assert.equal((await people.service.send('HEAD', path, undefined, { key: null })).status, 200)
      }
      assert.equal(await stateOf(external_id), 'subscribed')
      assert.deepEqual(await people.engaged(named), [])
    })

    test('the page shows the workspace, and only as much of the address as its owner needs', async () => {
      const { email, u } = await mailed()
      await people.service.admin('POST', '/admin/apply', {
        workspace: { id: 'default', name: 'Tea & <b>Cakes</b> "Ltd"' },
      })
      const { text } = await people.page(u)
      assert.match(text, /Tea &#38; &#60;b&#62;Cakes&#60;\/b&#62; &#34;Ltd&#34;/)
      assert.ok(text.includes('m…@example.com'), text)
      assert.ok(!text.includes(email))
    })

    test('everybody who has the address is unsubscribed, and everybody who gets it later', async () => {
      const { external_id, email, u } = await mailed()
      const others = many(3, () => newId())
      await people.set(...others.map((each) => ({ external_id: each, email })))
      assert.equal((await people.form(u, oneClick)).status, 200)
      const late = newId()
      await people.set({ external_id: late, email })
      for (const each of [external_id, ...others, late]) assert.equal(await stateOf(each), 'unsubscribed')
    })

    test('a person with a new address is unsubscribed at the address of the mail and at the new one', async () => {
      const { external_id, email, u } = await mailed()
      const [stays, shares, moved] = [newId(), newId(), newEmail()]
      await people.set(
        { external_id, email: moved },
        { external_id: stays, email },
        { external_id: shares, email: moved },
      )
      assert.equal((await people.form(u, oneClick)).status, 200)
      for (const each of [external_id, stays, shares]) assert.equal(await stateOf(each), 'unsubscribed')
    })

    test('a person without an address is unsubscribed too', async () => {
      const { external_id, u } = await mailed({ address: null })
      await people.set({ external_id, email: null })
      assert.match((await people.page(u)).text, /no more e-mails to you\./)
      assert.equal((await people.form(u, oneClick)).status, 200)
      assert.equal(await stateOf(external_id), 'unsubscribed')
      assert.match((await people.form(u, 'wish=subscribe')).text, /subscribed again/)
      assert.equal(await stateOf(external_id), 'subscribed')
    })

    test('a token of a merged person names the kept one', async () => {
      const { external_id, named, u } = await mailed()
      const kept = newId()
      await people.set({ external_id: kept, email: newEmail() })
      await people.merge({ external_id }, { external_id: kept })
      assert.equal((await people.page(preferencesOf(named))).status, 200)
      assert.equal((await people.form(u, oneClick)).status, 200)
      assert.equal(await stateOf(kept), 'unsubscribed')
      assert.equal((await people.engaged(named)).length, 1)
    })

    test('a page about a deleted person shows nothing, and one click by a mail program succeeds', async () => {
      const { external_id, named, u } = await mailed()
      await people.delete({ external_ids: [external_id] })
      for (const path of [u, preferencesOf(named)]) {
        const { status, text } = await people.page(path)
        assert.equal(status, 404)
        assert.match(text, /<h1>This link does not work<\/h1>/)
        assert.equal((await people.form(path, 'wish=unsubscribe&shown=')).status, 404)
      }
      assert.equal((await people.form(u, oneClick)).status, 200)
    })

    test('tokens of other purposes, changed and invented tokens give no access', async () => {
      const { external_id, named, u } = await mailed()
      const token = u.slice(3)
      const changed = many(token.length, (i) => token.slice(0, i) + (token[i] === '0' ? '1' : '0') + token.slice(i + 1))
      const foreign = (['preferences', 'open', 'link', 'bounce', 'message'] as const).map((each) =>
        people.token(named, each),
      )
      const odd = ['x', '%00', '%F0%9F%98%80', '..%2F..%2Fu', '0'.repeat(52), 'v'.repeat(52), `${token}0`, '__proto__']
      const gone = (await people.page('/u/x')).text
      for (const each of [...changed, ...foreign, ...odd]) {
        const { status, text } = await people.form(`/u/${each}`, oneClick)
        assert.equal(status, 404, each)
        assert.equal(text, gone, each)
      }
      for (const each of [token, people.token(named, 'open'), 'x']) {
        const { status, text } = await people.page(`/preferences/${each}`)
        assert.deepEqual([status, text], [404, gone])
      }
      assert.equal(await stateOf(external_id), 'subscribed')
    })

    test('an invalid form changes nothing', async () => {
      const { external_id, named, u } = await mailed()
      const json = { 'content-type': 'application/json' }
      const cases: [body: string, status: number, headers?: Readonly<Record<string, string>>][] = [
        ['', 400],
        ['wish=', 400],
        ['wish=everything', 400],
        ['List-Unsubscribe=No', 400],
        ['{"wish":"unsubscribe"}', 415, json],
        ['wish=unsubscribe', 415, { 'content-type': 'text/plain' }],
        ['wish=unsubscribe', 400, { 'content-type': 'multipart/form-data; boundary=a' }],
        ['wish=unsubscribe', 415, { 'content-encoding': 'gzip' }],
        [`wish=unsubscribe&x=${'y'.repeat(formBytesMax)}`, 413],
        [`wish=unsubscribe${'&a=1'.repeat(formFieldsMax)}`, 400],
      ]
      for (const [body, status, headers] of cases) {
        const answer = await people.form(u, body, headers)
        assert.equal(answer.status, status, `${body.slice(0, 40)}: ${answer.text}`)
        assert.match(answer.text, /^<!doctype html>/)
        const other = await people.form(preferencesOf(named), body, headers)
        assert.equal(other.status, status, body.slice(0, 40))
      }
      assert.equal(await stateOf(external_id), 'subscribed')
      for (const method of ['PUT', 'DELETE']) {
        assert.equal((await people.service.send(method, u, undefined, { key: null })).headers.allow, 'GET, POST, HEAD')
      }
    })

    test('a form of exactly the limit is accepted, one byte more is not', async () => {
      const { u } = await mailed()
      const body = `${oneClick}&x=`
      const statuses = many(3, (i) => people.form(u, body + 'y'.repeat(formBytesMax - 1 + i - body.length)))
      assert.deepEqual(
        (await Promise.all(statuses)).map(({ status }) => status),
        [200, 200, 413],
      )
    })

    test('preferences show the present states and are saved together', async () => {
      const { external_id, email, named } = await mailed()
      const path = preferencesOf(named)
      await setStates(people, join(groups.offers, { external_id }))
      const shown = async () => {
        const { text } = await people.page(path)
        return [...text.matchAll(/value="(\w+)"( checked)?>\s*<span[^>]*>([^<]+)/g)].map(
          ([, value, checked, name]) => ({ value: value!, name: name!, checked: checked !== undefined }),
        )
      }
      const [mail, news, offers, ...more] = await shown()
      assert.deepEqual(
        [mail, news, offers].map((each) => [each!.name, each!.checked]),
        [
          ['Send me e-mails', true],
          ['News', false],
          ['Offers', true],
        ],
      )
      assert.deepEqual(more, [])
      const list = `shown=${news!.value}+${offers!.value}`
      const saved = await people.form(path, `${list}&mail=yes&group=${news!.value}`)
      assert.match(saved.text, /role="status">Your preferences are saved/)
      assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed', 'Offers: Unsubscribed'])
      assert.equal(await stateOf(external_id), 'subscribed')
      assert.deepEqual(
        (await shown()).map(({ checked }) => checked),
        [true, true, false],
      )
      const other = newId()
      await people.set({ external_id: other, email })
      assert.deepEqual(await statesOf(people, other), ['News: Subscribed', 'Offers: Unsubscribed'])

      await people.form(path, `${list}&group=${news!.value}`)
      assert.equal(await stateOf(external_id), 'unsubscribed')
      assert.equal(await stateOf(other), 'unsubscribed')
      await people.form(path, `${list}&mail=yes&group=${news!.value}&group=${offers!.value}`)
      assert.equal(await stateOf(external_id), 'subscribed')
      assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed', 'Offers: Subscribed'])
    })

    test('groups that the page did not show stay unchanged, and unknown ones cannot be joined', async () => {
      const { external_id, named } = await mailed()
      await setStates(people, join(groups.news, { external_id }), join(groups.alerts, { external_id }))
      const path = preferencesOf(named)
      const [sms] = await people.db.query<{ id: number }>(sql`
        select group_id as id from subscription_group where id = ${groups.alerts.id}`)
      for (const body of ['shown=', 'shown=99999', `shown=${sms!.id}`, `shown=${sms!.id}+99999&group=99999`]) {
        assert.equal((await people.form(path, `${body}&mail=yes`)).status, 200, body)
      }
      for (const body of ['mail=yes', 'shown=x&mail=yes', 'shown=1&shown=2', 'shown=&group=-1', 'shown=1.5']) {
        const { status, text } = await people.form(path, body)
        assert.equal(status, 400, body)
        assert.match(text, /role="alert">Nothing was saved/)
      }
      assert.deepEqual(await statesOf(people, external_id), ['Alerts: Subscribed', 'News: Subscribed'])
      assert.equal(await stateOf(external_id), 'subscribed')
    })

    const later = async (named: TokenTarget, ms: number) => {
      await new Promise((resume) => setTimeout(resume, ms))
      await people.db.query(sql`update message set state = 'accepted' where message_id = ${named.message_id}::int8`)
    }
    const timed = async <T>(work: Promise<T>): Promise<number> => {
      const startMs = performance.now()
      await work
      return performance.now() - startMs
    }

    test('an unsubscribe is answered when no mail to the person is in flight any more', async () => {
      const ways: ((each: Awaited<ReturnType<typeof mailed>>) => Promise<unknown>)[] = [
        ({ u }) => people.form(u, oneClick),
        ({ named }) => people.form(preferencesOf(named), 'shown='),
        ({ email }) => people.send('/email/status', { email, subscription_state: 'unsubscribed' }),
      ]
      for (const way of ways) {
        await assertBelow(handOverWaitMsMax, 'the answer to an unsubscribe', async () => {
          const each = await mailed({ state: 'handed_over' })
          const other = await mailed({ state: 'handed_over' })
          const [ms] = await Promise.all([timed(way(each)), later(each.named, 300)])
          assert.ok(ms >= 295, `${ms} ms`)
          await later(other.named, 0)
          return ms
        })
      }
    })

    test('an unsubscribe waits for a worker that has checked consent and is about to hand over', async () => {
      const { named, u } = await mailed({ state: 'leased' })
      let taken = false
      const handing = people.db.transaction(
        async (tx) => {
          await tx.query(sql`select 1 from profile where profile_id = ${named.profile_id}::int8`)
          await new Promise((resume) => setTimeout(resume, 200))
          await tx.query(sql`update message set state = 'handed_over' where message_id = ${named.message_id}::int8`)
        },
        { registersAs: 'hand_over' },
      )
      const taking = handing
        .then(() => later(named, 200))
        .then(() => {
          taken = true
        })
      await people.form(u, oneClick)
      assert.ok(taken, 'the mail server had the mail before the answer')
      await taking
    })

    test('a mail that is in flight for too long does not delay the answer further', async () => {
      const { email, named } = await mailed({ state: 'handed_over' })
      const [row] = await people.db.query<{ id: number }>(sql`select workspace_id as id from workspace`)
      await assertBelow(1_000, 'the wait', async () => {
        const ms = await timed(waitForHandOvers(people.db, row!.id, [email], 100))
        assert.ok(ms >= 95, `${ms} ms`)
        return ms
      })
      assert.equal(await waitForHandOvers(people.db, row!.id, [email], 1), false)
      await later(named, 0)
      assert.equal(await waitForHandOvers(people.db, row!.id, [email], 1), true)
    })

    test('many concurrent unsubscribes all take effect', async () => {
      const all = []
      for (const _ of many(20, () => 0)) all.push(await mailed())
      const answers = await Promise.all(all.flatMap(({ u }) => [people.form(u, oneClick), people.form(u, oneClick)]))
      assert.ok(answers.every(({ status }) => status === 200))
      for (const { external_id, named } of all) {
        assert.equal(await stateOf(external_id), 'unsubscribed')
        assert.equal((await people.engaged(named)).length, 1)
      }
    })

    // biome-ignore lint/suspicious/noExplicitAny: tests read single members of a mail.
    const inboxOf = async (to: string): Promise<any[]> =>
      (await people.service.admin('GET', `/admin/inbox?to=${encodeURIComponent(to)}`)).body.messages
    const arrived = async (to: string) => {
      await eventually('the mail arrives', async () => (await inboxOf(to)).length > 0)
      const [mail] = await inboxOf(to)
      return (await people.service.admin('GET', `/admin/inbox/${mail.id}`)).body
    }

    test('the link in a sent mail unsubscribes, and then no more mail is sent', async () => {
      const [one, other] = many(2, () => ({ external_id: newId(), email: newEmail() }))
      await people.set(one!, other!)
      const body = letter(
        { external_user_ids: [one!.external_id, other!.external_id] },
        { body: '<p>Hello, <a href="https://shop.example.com/?a=1&amp;b=2">tea</a></p>' },
      )
      assert.equal((await people.send('/messages/send', body)).status, 201)
      const { headers, html } = await arrived(one!.email)
      assert.equal(headers['list-unsubscribe-post'], oneClick)
      const within = (pattern: RegExp, text: string) => pattern.exec(text)![1]!.slice(publicUrl.length)
      const link = await people.page(within(/href="([^"]+)"/, html))
      assert.deepEqual([link.status, link.headers.location], [302, 'https://shop.example.com/?a=1&b=2'])
      assert.equal((await people.page(within(/src="([^"]+)"/, html))).headers['content-type'], 'image/gif')
      assert.equal((await people.form(within(/<(https:[^>]+)>/, headers['list-unsubscribe']), oneClick)).status, 200)
      assert.equal(await stateOf(one!.external_id), 'unsubscribed')

      assert.equal((await people.send('/messages/send', body)).status, 201)
      await eventually('the second mail arrives', async () => (await inboxOf(other!.email)).length >= 2)
      assert.equal((await inboxOf(other!.email)).length, 2)
      assert.equal((await inboxOf(one!.email)).length, 1)
    })
  })
}
