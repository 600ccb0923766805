import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { signUpsPerAddressMax, signUpsPerCallerMax } from '../../src/messaging/sign-up/limit-sign-ups.ts'
import { drawDatabases } from '../support/harness.ts'
import { newEmail } from '../support/people.ts'
import { newCaller, SignUps, signUpWorkspace } from '../support/sign-ups.ts'

const publicUrl = 'https://mail.example.com/easel'

for (const database of drawDatabases('sign-up-forms')) {
  describe(`/forms (${database})`, () => {
    const people = new SignUps()
    before(() =>
      people.start({
        database,
        workspace: signUpWorkspace,
        env: { EASEL_CLOCK: 'virtual', EASEL_TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: publicUrl },
      }),
    )
    after(() => people.stop())

    test('a stranger signs up, and is subscribed when the button behind the link was pressed', async () => {
      const group = await people.group()
      const [path, email] = [await people.formOf(group), newEmail()]
      const sent = await people.signUp(path, ` ${email.toUpperCase()} `, { ip: '192.0.2.77' })
      assert.equal(sent.status, 200, sent.text)
      assert.match(sent.text, /<h1>Please check your e-mail<\/h1>/)
      assert.deepEqual(
        (await people.profilesOf(email)).map(({ email_subscribe }) => email_subscribe),
        ['unsubscribed'],
      )
      assert.deepEqual(await people.groupsOf(email), [])
      const link = await people.linkTo(email)
      for (const _ of [1, 2]) {
        const { status, text } = await people.page(link)
        assert.equal(status, 200)
        assert.match(text, /<button dir="auto">Confirm<\/button>/)
        assert.match(text, new RegExp(group.name))
      }
      assert.deepEqual(await people.groupsOf(email), [], 'opening the link changes nothing')
      const done = await people.press(link, '2001:db8:1:2::7')
      assert.equal(done.status, 200)
      assert.match(done.text, /<h1>You are subscribed<\/h1>/)
      assert.deepEqual(await people.groupsOf(email), [`${group.name}: Subscribed`])
      assert.deepEqual(
        (await people.profilesOf(email)).map(({ email_subscribe }) => email_subscribe),
        ['opted_in'],
      )
      const [kept] = await people.confirmations(group)
      assert.deepEqual(
        [kept!.state, kept!.address, kept!.source, kept!.requested_from, kept!.confirmed_from, kept!.sent_count],
        ['confirmed', email, 'form', '192.0.2.0/24', '2001:db8:1::/48', 1],
      )
    })

    test('a form changes nothing of a person who exists before the button is pressed', async () => {
      const group = await people.group()
      const path = await people.formOf(group)
      const { external_id, email } = await people.somebody({ plan: 'gold', first_name: 'Ada' })
      const before = await people.profilesOf(email)
      assert.equal((await people.signUp(path, email)).status, 200)
      assert.deepEqual(await people.profilesOf(email), before)
      const link = await people.linkTo(email)
      await people.press(link)
      const after = await people.profilesOf(email)
      assert.deepEqual(
        after.map((each) => [each.external_id, each.email_subscribe]),
        [[external_id, 'opted_in']],
      )
      const { plan } = (await people.person(external_id, ['custom_attributes'])).custom_attributes as { plan: string }
      assert.equal(plan, 'gold')
    })

    test('the answer is the same for unknown, known, subscribed and refused addresses', async () => {
      const group = await people.group({ sends_max: 1 })
      const path = await people.formOf(group)
      const known = await people.somebody()
      const member = await people.somebody({
        subscription_groups: [{ subscription_group_id: group.id, subscription_state: 'subscribed' }],
      })
      const bounced = await people.somebody()
      await people.service.admin('POST', '/admin/suppressions', { email: bounced.email })
      const again = newEmail()
      await people.signUp(path, again)
      const answers = []
      for (const email of [newEmail(), known.email, member.email, bounced.email, again]) {
        const { status, text } = await people.signUp(path, email)
        answers.push(`${status} ${text}`)
      }
      assert.equal(new Set(answers).size, 1)
      await people.due()
      assert.deepEqual(await people.mailsTo(member.email), [])
      assert.deepEqual(await people.mailsTo(bounced.email), [])
      assert.equal((await people.mailsTo(again)).length, 1)
    })

    test('an address that is none, a box that is not ticked and a request that is not from the page are shown the form again', async () => {
      const group = await people.group()
      const path = await people.formOf(group, { texts: { consent: 'I am 16 or older' } })
      const email = newEmail()
      for (const wrong of [
        '',
        'ada',
        'ada@',
        'ada@localhost',
        'a b@example.com',
        `${'a'.repeat(250)}@example.com`,
        'a\u0000@example.com',
      ]) {
        const { status, text } = await people.signUp(path, wrong, { fields: { consent: 'yes' } })
        assert.equal(status, 400, wrong)
        assert.match(text, /role="alert"/)
      }
      const unticked = await people.signUp(path, email)
      assert.deepEqual([unticked.status, /Please tick the box first/.test(unticked.text)], [400, true])
      const direct = await people.form(path, `email=${email}&consent=yes`, { 'x-forwarded-for': newCaller() })
      assert.equal(direct.status, 200)
      assert.match(direct.text, new RegExp(`value="${email}"`))
      assert.match(direct.text, /Please check your address/)
      assert.deepEqual(await people.profilesOf(email), [])
      assert.match((await people.signUp(path, email, { fields: { consent: 'yes' } })).text, /check your e-mail/)
      assert.equal((await people.profilesOf(email)).length, 1)
    })

    test('a program is recognized: it fills in the hidden field, or is too fast', async () => {
      const group = await people.group()
      const [path, email] = [await people.formOf(group), newEmail()]
      const trapped = await people.signUp(path, email, { fields: { website: 'https://spam.example' } })
      assert.deepEqual([trapped.status, /check your e-mail/.test(trapped.text)], [200, true])
      assert.deepEqual(await people.profilesOf(email), [])
      const slow = await people.formOf(group, { min_seconds: 60 })
      const fast = await people.signUp(slow, email)
      assert.deepEqual([fast.status, /press the button once more/.test(fast.text)], [200, true])
      assert.deepEqual(await people.profilesOf(email), [])
    })

    test('a form with direct posts takes the snippet at once', async () => {
      const group = await people.group()
      const path = await people.formOf(group, { direct_posts: true })
      const email = newEmail()
      const { text } = await people.form(path, `email=${email}&website=`, { 'x-forwarded-for': newCaller() })
      assert.match(text, /check your e-mail/)
      assert.match(await people.linkTo(email), /^\/confirm\//)
    })

    test('one caller signs up as many addresses as the limit allows, and one address is mailed no more often than its own', async () => {
      const group = await people.group()
      const path = await people.formOf(group, { direct_posts: true })
      const ip = newCaller()
      for (let n = 1; n <= signUpsPerCallerMax + 1; n++) {
        const { status, headers, text } = await people.form(path, `email=${newEmail()}`, { 'x-forwarded-for': ip })
        assert.equal(status, n <= signUpsPerCallerMax ? 200 : 429, `${n}`)
        if (n <= signUpsPerCallerMax) continue
        assert.match(text, /<h1>Please try again later<\/h1>/)
        assert.ok(Number(headers['retry-after']) > 0)
      }
      const email = newEmail()
      for (let n = 1; n <= signUpsPerAddressMax + 1; n++) {
        const own = await people.group()
        const form = await people.formOf(own, { direct_posts: true })
        const { status, text } = await people.form(form, `email=${email}`, { 'x-forwarded-for': newCaller() })
        assert.deepEqual([status, /check your e-mail/.test(text)], [200, true], `${n}`)
        assert.equal((await people.confirmations(own)).length, n <= signUpsPerAddressMax ? 1 : 0, `${n}`)
      }
    })

    test('a form takes as many sign-ups in an hour as it says', async () => {
      const group = await people.group()
      const path = await people.formOf(group, { direct_posts: true, hourly_max: 2 })
      const statuses = []
      for (let n = 1; n <= 3; n++) {
        statuses.push((await people.form(path, `email=${newEmail()}`, { 'x-forwarded-for': newCaller() })).status)
      }
      assert.deepEqual(statuses, [200, 200, 429])
    })

    test('a paused form, and one whose group is archived or has no double opt-in, is closed', async () => {
      const group = await people.group()
      const path = await people.formOf(group)
      const id = path.split('/').at(-1)!
      const isClosed = async () => {
        const email = newEmail()
        const [shown, sent] = [await people.page(path), await people.form(path, `email=${email}`)]
        assert.deepEqual(await people.profilesOf(email), [])
        return [shown, sent].every(({ status, text }) => status === 200 && /This form is closed/.test(text))
      }
      assert.equal(await isClosed(), false)
      await people.service.admin('PATCH', `/admin/sign_up_forms/${id}`, { state: 'paused' })
      assert.equal(await isClosed(), true)
      await people.service.admin('PATCH', `/admin/sign_up_forms/${id}`, { state: 'active' })
      const off = { double_opt_in: { enabled: false, from: 'Shop <shop@example.com>' } }
      await people.service.admin('PATCH', `/admin/subscription_groups/${group.id}`, off)
      assert.equal(await isClosed(), true)
      await people.service.admin('PATCH', `/admin/subscription_groups/${group.id}`, {
        double_opt_in: { ...off.double_opt_in, enabled: true },
        archived: true,
      })
      assert.equal(await isClosed(), true)
      for (const unknown of ['/forms/default/nothing', '/forms/nowhere/x', '/forms/__proto__/x']) {
        const { status, text } = await people.page(unknown)
        assert.deepEqual([status, /This link does not work/.test(text)], [404, true], unknown)
      }
    })

    test('texts are those of the form, else of its language, and are escaped', async () => {
      const group = await people.group()
      const texts = { title: '<b>Join</b> {group}', done_title: 'Danke & Tschüss' }
      const path = await people.formOf(group, { language: 'de', texts })
      const { text } = await people.page(path)
      assert.match(text, /<html lang="de">/)
      assert.match(text, new RegExp(`<h1>&#60;b&#62;Join&#60;/b&#62; ${group.name}</h1>`))
      assert.match(text, />Anmelden</)
      const email = newEmail()
      assert.match((await people.signUp(path, email)).text, /<h1>Danke &#38; Tschüss<\/h1>/)
      const link = await people.linkTo(email)
      assert.match((await people.page(link)).text, /<h1>Anmeldung bestätigen<\/h1>/)
    })

    test('a page may be framed, and may lead elsewhere, only where the form says so', async () => {
      const group = await people.group()
      const plain = await people.page(await people.formOf(group))
      assert.match(String(plain.headers['content-security-policy']), /form-action 'self'; .*frame-ancestors 'none'$/)
      const path = await people.formOf(group, {
        embed_origins: ['https://www.example.com'],
        redirect_url: 'https://shop.example.com/thanks?a=1',
      })
      const { headers } = await people.page(path)
      assert.match(
        String(headers['content-security-policy']),
        /form-action 'self' https:\/\/shop\.example\.com; .*frame-ancestors https:\/\/www\.example\.com$/,
      )
      const { status, headers: sent } = await people.signUp(path, newEmail())
      assert.deepEqual([status, sent.location], [303, 'https://shop.example.com/thanks?a=1'])
    })

    test('the snippet leads to the page of the form, and a frame is offered only for sites that may show it', async () => {
      const group = await people.group()
      const path = await people.formOf(group, { texts: { button: 'Join "now"' } })
      const id = path.split('/').at(-1)!
      const { body } = await people.service.admin('GET', `/admin/sign_up_forms/${id}/embed`)
      assert.equal(body.url, `${publicUrl}${path}`)
      assert.match(body.snippet, new RegExp(`^<form action="${publicUrl}${path}" method="post">`))
      assert.match(body.snippet, /<button>Join &#34;now&#34;<\/button>/)
      assert.equal(body.iframe, null)
      await people.service.admin('PATCH', `/admin/sign_up_forms/${id}`, { embed_origins: ['https://www.example.com'] })
      const framed = await people.service.admin('GET', `/admin/sign_up_forms/${id}/embed`)
      assert.match(framed.body.iframe, new RegExp(`^<iframe src="${publicUrl}${path}"`))
    })
  })
}
