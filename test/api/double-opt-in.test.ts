import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { resendPauseMs } from '../../src/people/confirmations/plan-request.ts'
import { type FeedLine, readFeed } from '../support/feed.ts'
import { drawDatabases } from '../support/harness.ts'
import { mail } from '../support/messages.ts'
import { apps, groups, newEmail, newId } from '../support/people.ts'
import { optIn, SignUps } from '../support/sign-ups.ts'
import { bulkPath, join, singlePath } from '../support/subscriptions.ts'

const pause = `PT${resendPauseMs / 1000}S`

for (const database of drawDatabases('double-opt-in')) {
  describe(`double opt-in (${database})`, () => {
    const people = new SignUps()
    before(() =>
      people.start({
        database,
        workspace: { settings: { feed: true }, apps: Object.values(apps), subscription_groups: Object.values(groups) },
        env: { EASEL_CLOCK: 'virtual', EASEL_TRUSTED_PROXIES: '127.0.0.1' },
      }),
    )
    after(() => people.stop())

    const pendingTo = async (more = {}) => {
      const group = await people.group(more)
      const [path, email] = [await people.formOf(group), newEmail()]
      await people.signUp(path, email)
      return { group, path, email, link: await people.linkTo(email) }
    }

    test('a second press is harmless, also after the person has left the group', async () => {
      const { group, email, link } = await pendingTo()
      assert.equal((await people.press(link)).status, 200)
      assert.deepEqual(await people.groupsOf(email), [`${group.name}: Subscribed`])
      const [first] = await people.confirmations(group)
      await people.send(singlePath, { subscription_group_id: group.id, subscription_state: 'unsubscribed', email })
      const { status, text } = await people.press(link)
      assert.deepEqual([status, /You are subscribed/.test(text)], [200, true])
      assert.deepEqual(await people.groupsOf(email), [`${group.name}: Unsubscribed`])
      assert.deepEqual((await people.confirmations(group))[0], first)
    })

    test('a confirmation is in the feed, once', async () => {
      const { group, email, link } = await pendingTo()
      await people.press(link)
      await people.press(link)
      await people.send(singlePath, { subscription_group_id: group.id, subscription_state: 'unsubscribed', email })
      const changes = (lines: readonly FeedLine[]) =>
        lines.filter(({ type, data }) => type === 'subscription.changed' && data.subscription_group_id === group.id)
      const lines = await readFeed(people.service, (found) => changes(found).length >= 2)
      const changed = changes(lines)
      assert.deepEqual(
        changed.map(({ data: { person: _, ...data } }) => data),
        ['subscribed', 'unsubscribed'].map((state) => {
          return { email, subscription_group_id: group.id, channel: 'email', state }
        }),
      )
      const { service_id } = changed[0]!.data.person
      const own = lines.filter(({ type, data }) => {
        return type === 'subscription.changed' && data.person.service_id === service_id
      })
      assert.deepEqual(
        own.map(({ data }) => data.state),
        ['unsubscribed', 'opted_in', 'subscribed', 'unsubscribed'],
        'of the channel before and after the confirmation, then of the group',
      )
    })

    test('two presses at once subscribe once', async () => {
      const { group, email, link } = await pendingTo()
      const pressed = await Promise.all(Array.from({ length: 5 }, () => people.press(link)))
      assert.deepEqual(
        pressed.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      )
      assert.deepEqual(await people.groupsOf(email), [`${group.name}: Subscribed`])
    })

    test('only the form of the page confirms, and only with the link of the mail', async () => {
      const { email, link } = await pendingTo()
      for (const fields of ['', 'wish=other', 'List-Unsubscribe=One-Click']) {
        assert.equal((await people.form(link, fields)).status, 400, fields)
      }
      const last = link.at(-1) === 'a' ? 'b' : 'a'
      for (const wrong of [`${link.slice(0, -1)}${last}`, '/confirm/x', `/confirm/${'0'.repeat(52)}`]) {
        assert.equal((await people.press(wrong)).status, 404, wrong)
      }
      assert.deepEqual(await people.groupsOf(email), [])
    })

    test('the link works for the hours of the group, and not longer', async () => {
      const early = await pendingTo({ valid_hours: 1 })
      await people.service.advance('PT59M')
      assert.equal((await people.press(early.link)).status, 200)
      assert.deepEqual(await people.groupsOf(early.email), [`${early.group.name}: Subscribed`])
      const late = await pendingTo({ valid_hours: 1 })
      await people.service.advance('PT1H')
      assert.match((await people.page(late.link)).text, /This link is too old/)
      assert.equal((await people.press(late.link)).status, 410)
      assert.deepEqual(await people.groupsOf(late.email), [])
      assert.deepEqual(
        (await people.confirmations(late.group)).map(({ state }) => state),
        ['expired'],
      )
      await people.signUp(late.path, late.email)
      const fresh = await people.linkTo(late.email, 2)
      assert.notEqual(fresh, late.link)
      assert.equal((await people.press(late.link)).status, 404, 'the link that was replaced')
      assert.equal((await people.press(fresh)).status, 200)
      assert.deepEqual(await people.groupsOf(late.email), [`${late.group.name}: Subscribed`])
    })

    test('signing up again sends the mail again after a pause, up to the limit of the group', async () => {
      const { path, email, link } = await pendingTo({ sends_max: 2 })
      await people.signUp(path, email)
      await people.due()
      assert.equal((await people.mailsTo(email)).length, 1, 'within the pause')
      await people.service.advance(pause)
      await people.signUp(path, email)
      assert.equal(await people.linkTo(email, 2), link, 'the link stays the same')
      await people.service.advance(pause)
      await people.signUp(path, email)
      await people.due()
      assert.equal((await people.mailsTo(email)).length, 2, 'above the limit')
      assert.equal((await people.press(link)).status, 200)
    })

    test('a group that is archived meanwhile takes nobody', async () => {
      const { group, email, link } = await pendingTo()
      await people.service.admin('DELETE', `/admin/subscription_groups/${group.id}`)
      assert.match((await people.page(link)).text, /This is closed/)
      assert.equal((await people.press(link)).status, 410)
      assert.deepEqual(await people.groupsOf(email), [])
    })

    test('what a merged person was asked can be confirmed for the person who is kept', async () => {
      const { group, email, link } = await pendingTo()
      const kept = newId()
      await people.set({ external_id: kept })
      const prioritization = ['unidentified', 'most_recently_updated']
      await people.merge({ email, prioritization }, { external_id: kept })
      assert.equal((await people.press(link)).status, 200)
      const { body } = await people.service.get(`/subscription/user/status?external_id=${kept}`)
      assert.deepEqual(
        body.users[0].subscription_groups.map(({ name, status }: { name: string; status: string }) => [name, status]),
        [[group.name, 'Subscribed']],
      )
    })

    test('of two questions about one group, the one that was given stays, or else the one that works for longer', async () => {
      const prioritization = ['unidentified', 'most_recently_updated']
      for (const [given, later] of [
        [false, 'merged'],
        [false, 'kept'],
        [true, 'merged'],
        [true, 'kept'],
      ] as const) {
        const group = await people.group({ through_api: true })
        const merged = newEmail()
        const { external_id, email: kept } = await people.somebody()
        const ask = async (email: string) => {
          const item = { ...join(group, { email }), use_double_opt_in_logic: true }
          assert.equal((await people.send(singlePath, item)).status, 201)
          return people.linkTo(email)
        }
        const earlier = later === 'merged' ? kept : merged
        await people.service.post('/users/track', { attributes: [{ email: merged, first_name: 'Ada' }] })
        const first = await ask(earlier)
        if (given) await people.press(first)
        await people.service.advance('PT1H')
        const second = await ask(later === 'merged' ? merged : kept)
        await people.merge({ email: merged, prioritization }, { external_id })
        const [stays, goes] = given ? [first, second] : [second, first]
        assert.equal((await people.press(goes)).status, 404, `${given} ${later}`)
        assert.equal((await people.press(stays)).status, 200, `${given} ${later}`)
        const { body } = await people.service.get(`/subscription/user/status?external_id=${external_id}`)
        assert.equal(body.users[0].subscription_groups[0].status, 'Subscribed', `${given} ${later}`)
      }
    })

    test('a deleted person cannot confirm, and leaves no row', async () => {
      const { group, link } = await pendingTo()
      const [asked] = await people.confirmations(group)
      await people.service.admin('DELETE', `/admin/people/${asked!.person}`)
      assert.deepEqual(await people.confirmations(group), [])
      assert.equal((await people.press(link)).status, 404)
    })

    test('everybody who has the address is in the group after a confirmation', async () => {
      const group = await people.group()
      const path = await people.formOf(group)
      const { email } = await people.somebody()
      const other = newId()
      await people.set({ external_id: other, email })
      await people.signUp(path, email)
      await people.press(await people.linkTo(email))
      const { body } = await people.service.get(`/subscription/user/status?email=${encodeURIComponent(email)}`)
      assert.deepEqual(
        body.users.map((user: { subscription_groups: { status: string }[] }) => user.subscription_groups[0]?.status),
        ['Subscribed', 'Subscribed'],
      )
    })

    test('the API subscribes as always, and asks only where the group says so and the request too', async () => {
      const asking = await people.group({ through_api: true })
      const silent = await people.group()
      for (const path of [singlePath, bulkPath]) {
        const send = async (group: { id: string }, more: object) => {
          const { external_id, email } = await people.somebody()
          const item = { ...join(group, { external_id }), ...more }
          const answer = await people.send(path, path === bulkPath ? { subscription_groups: [item] } : item)
          assert.equal(answer.status, 201, answer.text)
          return { email, notices: (answer.body as { notices?: unknown[] }).notices?.length ?? 0 }
        }
        const plain = await send(asking, {})
        assert.deepEqual([await people.groupsOf(plain.email), plain.notices], [[`${asking.name}: Subscribed`], 0])
        const ignored = await send(silent, { use_double_opt_in_logic: true })
        assert.deepEqual([await people.groupsOf(ignored.email), ignored.notices], [[`${silent.name}: Subscribed`], 1])
        const asked = await send(asking, { use_double_opt_in_logic: true })
        assert.deepEqual([await people.groupsOf(asked.email), asked.notices], [[], 0])
        await people.press(await people.linkTo(asked.email))
        assert.deepEqual(await people.groupsOf(asked.email), [`${asking.name}: Subscribed`])
      }
      const silentOne = newId()
      await people.set({ external_id: silentOne })
      const unmailed = { ...join(asking, { external_id: silentOne }), use_double_opt_in_logic: true }
      const told = (await people.send(singlePath, unmailed)).body as { notices?: { reasons?: string[] }[] }
      assert.match(JSON.stringify(told.notices), /nobody with an e-mail address/)
      const nobody = { ...join(asking, { external_id: newId('nobody') }), use_double_opt_in_logic: true }
      const { status, body } = await people.send(singlePath, nobody)
      assert.deepEqual([status, (body as { notices?: unknown[] }).notices?.length], [201, 1])
    })

    test('a preference page asks for a confirmation where the group has double opt-in', async () => {
      const group = await people.group()
      const { external_id, email } = await people.somebody()
      const named = await people.write(external_id)
      const path = `/preferences/${people.token(named, 'preferences')}`
      const { text } = await people.page(path)
      const [, number] = new RegExp(`value="(\\d+)">\\s*<span[^>]*>${group.name}<`).exec(text) ?? []
      assert.ok(number, text)
      const saved = await people.form(path, `shown=${number}&mail=yes&group=${number}`)
      assert.match(saved.text, new RegExp(`${group.name}<small>Not confirmed yet`))
      assert.deepEqual(await people.groupsOf(email), [])
      await people.press(await people.linkTo(email))
      assert.match((await people.page(path)).text, new RegExp(`checked>\\s*<span[^>]*>${group.name}</span>`))
    })

    test('a preference page lists the groups of text messages for people with a phone number', async () => {
      const { external_id } = await people.somebody({ phone: '+15551234567' })
      const named = await people.write(external_id)
      const path = `/preferences/${people.token(named, 'preferences')}`
      const { text } = await people.page(path)
      assert.match(text, /<legend>What you would like to get by text message<\/legend>/)
      const [, number] = /value="(\d+)">\s*<span[^>]*>Alerts</.exec(text) ?? []
      await people.form(path, `shown=${number}&mail=yes&group=${number}`)
      const { body } = await people.service.get(`/subscription/user/status?external_id=${external_id}`)
      assert.deepEqual(
        body.users[0].subscription_groups.map(({ name, status }: { name: string; status: string }) => [name, status]),
        [['Alerts', 'Subscribed']],
      )
    })

    test('why and the ledger say that a person has not confirmed yet, and until when they can', async () => {
      const { group, email } = await pendingTo()
      const audience = {
        AND: [{ subscription_group: { subscription_group_id: group.id, comparison: 'is', value: 'subscribed' } }],
      }
      const [asked] = await people.confirmations(group)
      const external_id = newId()
      const identify = {
        user_aliases: [],
        emails_to_identify: [{ external_id, email, prioritization: ['unidentified', 'most_recently_updated'] }],
      }
      const identified = await people.service.post('/users/identify', identify)
      assert.equal(identified.status, 201, identified.text)
      const given = { name: newId('segment'), audience }
      const segment_id = (await people.service.admin('POST', '/admin/segments', given)).body.segment.id
      const send = async (more: object) => {
        const sent = { external_user_ids: [external_id], messages: { email: mail() }, ...more }
        const { status, text } = await people.service.post('/messages/send', sent)
        assert.equal(status, 201, text)
        await people.due()
        const { body } = await people.service.admin('GET', `/admin/why?external_id=${external_id}`)
        return body
      }
      const excluded = await send({ segment_id })
      assert.equal(excluded.decisions[0].reason, 'not_confirmed')
      const rule = `the person has not confirmed the group "${group.name}" yet; the link expires on ${asked!.expires_at}`
      assert.equal(excluded.decisions[0].rule, rule)
      assert.equal(excluded.confirmations[0].state, 'pending')
      assert.match(excluded.sentence, /has not confirmed the group .* yet; the link expires on/)
      const refused = await send({})
      assert.deepEqual([refused.decisions[0].reason, refused.decisions[0].rule], ['not_confirmed', rule])
      await people.service.advance('PT48H')
      const expired = await send({})
      assert.equal(expired.decisions[0].reason, 'unsubscribed')
      assert.equal(expired.confirmations[0].state, 'expired')
    })

    test('mistakes of a group with double opt-in are refused with their path', async () => {
      const mistakes: readonly [object, RegExp][] = [
        [{ ...optIn, from: 'nobody' }, /double_opt_in\.from must be a valid address/],
        [{ ...optIn, reply_to: 'x' }, /double_opt_in\.reply_to/],
        [{ ...optIn, subject: '{{' }, /double_opt_in\.subject contains malformed liquid/],
        [{ ...optIn, body: '<p>Hello</p>' }, /double_opt_in\.body must have the link/],
        [{ ...optIn, valid_hours: 0 }, /double_opt_in\.valid_hours/],
        [{ ...optIn, valid_hours: 721 }, /double_opt_in\.valid_hours/],
        [{ ...optIn, sends_max: 11 }, /double_opt_in\.sends_max/],
        [{ ...optIn, more: 1 }, /double_opt_in/],
        [{ ...optIn, keyword: 'YES' }, /double_opt_in\.keyword is for groups of the channel sms/],
        [{ enabled: true }, /double_opt_in\.from must be a valid address/],
      ]
      for (const [double_opt_in, expected] of mistakes) {
        const given = { name: newId('group'), channel: 'email', double_opt_in }
        const { status, text } = await people.service.send('POST', '/admin/subscription_groups', given, {
          key: people.service.adminToken,
        })
        assert.equal(status, 400, text)
        assert.match(text, expected)
      }
      const sms = { name: newId('group'), channel: 'sms', double_opt_in: optIn }
      const { status, text } = await people.service.send('POST', '/admin/subscription_groups', sms, {
        key: people.service.adminToken,
      })
      assert.deepEqual([status, /double_opt_in\.from is for groups of the channel email/.test(text)], [400, true], text)
      for (const double_opt_in of [
        { ...optIn, valid_hours: 720, sends_max: 10 },
        { ...optIn, valid_hours: 1, sends_max: 1 },
      ]) {
        await people.service.admin('POST', '/admin/subscription_groups', {
          name: newId('group'),
          channel: 'email',
          double_opt_in,
        })
      }
    })

    test('a mail of the group has its own texts with the link', async () => {
      const { email } = await pendingTo({
        subject: 'Welcome to {{${confirmation_group}}}',
        body: '<p>Yes: <a href="{{${confirmation_url}}}">{{${confirmation_url}}}</a>, {{${confirmation_hours}}} hours</p>',
        valid_hours: 5,
      })
      const [id] = await people.mailsTo(email)
      const { body } = await people.service.admin('GET', `/admin/inbox/${id}`)
      assert.match(body.subject, /^Welcome to group-/)
      assert.match(body.html, /, 5 hours<\/p>/)
    })
  })
}
