import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { newEmail } from '../support/people.ts'
import { SignUps, signUpWorkspace } from '../support/sign-ups.ts'

for (const database of drawDatabases('admin-confirmations')) {
  describe(`/admin confirmations (${database})`, () => {
    const people = new SignUps()
    before(() =>
      people.start({
        database,
        workspace: signUpWorkspace,
        env: { EASEL_CLOCK: 'virtual', EASEL_TRUSTED_PROXIES: '127.0.0.1' },
      }),
    )
    after(() => people.stop())

    const asAdmin = (method: string, path: string) =>
      people.service.send(method, path, undefined, { key: people.service.adminToken })
    const pendingTo = async (more = {}) => {
      const group = await people.group(more)
      const [path, email] = [await people.formOf(group), newEmail()]
      await people.signUp(path, email)
      const link = await people.linkTo(email)
      const [asked] = await people.confirmations(group)
      return { group, path, email, link, person: String(asked!.person) }
    }

    test('the confirmations of a group are counted, listed newest first, and found by state', async () => {
      const group = await people.group({ valid_hours: 1 })
      const path = await people.formOf(group)
      const emails = [newEmail(), newEmail(), newEmail()]
      for (const email of emails) {
        await people.signUp(path, email)
        await people.service.advance('PT1M')
      }
      await people.press(await people.linkTo(emails[1]!))
      const addresses = async (query: string) =>
        (await people.confirmations(group, query)).map(({ address }) => address)
      assert.deepEqual(await addresses(''), emails.toReversed())
      assert.deepEqual(await addresses('?state=pending'), [emails[2], emails[0]])
      assert.deepEqual(await addresses('?state=confirmed'), [emails[1]])
      const first = (await asAdmin('GET', `/admin/subscription_groups/${group.id}/confirmations?limit=2`)).body
      assert.equal(first.confirmations.length, 2)
      assert.deepEqual(await addresses(`?limit=2&cursor=${first.cursor}`), [emails[0]])
      const counts = async () =>
        (await people.service.admin('GET', `/admin/subscription_groups/${group.id}/confirmation_counts`)).body
      assert.deepEqual(await counts(), { pending: 2, confirmed: 1, expired: 0, message: 'success' })
      await people.service.advance('PT1H')
      assert.deepEqual(await counts(), { pending: 0, confirmed: 1, expired: 2, message: 'success' })
      const beyond = Buffer.from('1.9223372036854775808').toString('base64url')
      for (const query of ['state=other', 'cursor=x', `cursor=${beyond}`, 'limit=0', 'limit=201']) {
        const { status } = await asAdmin('GET', `/admin/subscription_groups/${group.id}/confirmations?${query}`)
        assert.equal(status, 400, query)
      }
      assert.equal((await asAdmin('GET', '/admin/subscription_groups/none/confirmations')).status, 404)
      assert.equal((await asAdmin('GET', '/admin/subscription_groups/none/confirmation_counts')).status, 404)
    })

    test('the page of a person has what they were asked', async () => {
      const { group, person, email } = await pendingTo()
      const { body } = await people.service.admin('GET', `/admin/people/${person}`)
      assert.deepEqual(
        body.confirmations.map(({ group: name, state, address }: Record<string, string>) => [name, state, address]),
        [[group.name, 'pending', email]],
      )
      assert.match(body.confirmations[0].sentence, /has not confirmed the group .* yet; the link expires on/)
    })

    test('an administrator sends the mail again without a pause, up to the limit, and each time is in the audit', async () => {
      const { group, person, email, link } = await pendingTo({ sends_max: 2 })
      const path = `/admin/people/${person}/confirmations/${group.id}/resend`
      assert.equal((await asAdmin('POST', path)).status, 201)
      assert.equal(await people.linkTo(email, 2), link)
      const above = await asAdmin('POST', path)
      assert.deepEqual([above.status, /sends_max/.test(above.text)], [409, true])
      const { body } = await people.service.admin('GET', '/admin/audit?action=confirmation.resend&limit=200')
      const own = body.audit.filter((entry: { target: { name: string } }) => entry.target.name === group.id)
      assert.equal(own.length, 1)
      assert.deepEqual(own[0].after, { sent_count: 2 })
      assert.ok(!JSON.stringify(own).includes(email), 'the audit has no address')
      await people.press(link)
      assert.equal((await asAdmin('POST', path)).status, 409)
    })

    test('what was withdrawn cannot be confirmed, and what was confirmed cannot be withdrawn', async () => {
      const { group, person, email, link } = await pendingTo()
      const path = `/admin/people/${person}/confirmations/${group.id}`
      assert.equal((await asAdmin('DELETE', path)).status, 204)
      assert.equal((await asAdmin('DELETE', path)).status, 404)
      assert.equal((await people.press(link)).status, 404)
      assert.deepEqual(await people.groupsOf(email), [])
      const other = await pendingTo()
      await people.press(other.link)
      const { status } = await asAdmin('DELETE', `/admin/people/${other.person}/confirmations/${other.group.id}`)
      assert.equal(status, 409)
    })

    test('a form is in the workspace file, and needs a group with double opt-in', async () => {
      const group = await people.group()
      const path = await people.formOf(group, { language: 'fr', embed_origins: ['https://www.example.com'] })
      const id = path.split('/').at(-1)!
      const { body } = await people.service.admin('GET', '/admin/file?format=json')
      const own = body.file.sign_up_forms.find((form: { id: string }) => form.id === id)
      assert.deepEqual(
        [own.subscription_group_id, own.state, own.language, own.embed_origins, own.min_seconds],
        [group.id, 'active', 'fr', ['https://www.example.com'], 0],
      )
      const post = (more: object) =>
        people.service.send(
          'POST',
          '/admin/sign_up_forms',
          { name: 'A form', subscription_group_id: group.id, ...more },
          {
            key: people.service.adminToken,
          },
        )
      const plain = await people.service.admin('POST', '/admin/subscription_groups', {
        name: newEmail(),
        channel: 'email',
      })
      for (const [more, expected] of [
        [{ subscription_group_id: 'none' }, /subscription_group_id must be the id of a subscription group/],
        [{ subscription_group_id: plain.body.subscription_group.id }, /double_opt_in enabled/],
        [{ redirect_url: 'http://example.com' }, /redirect_url must be an https URL/],
        [{ redirect_url: 'javascript:alert(1)' }, /redirect_url must be an https URL/],
        [{ embed_origins: ['https://a.example/x'] }, /embed_origins\[0\] must be an https origin/],
        [{ embed_origins: ["https://a.example; script-src 'self'"] }, /embed_origins\[0\] must be an https origin/],
        [{ min_seconds: 61 }, /min_seconds/],
        [{ min_seconds: -1 }, /min_seconds/],
        [{ hourly_max: 0 }, /hourly_max/],
        [{ hourly_max: 100_001 }, /hourly_max/],
        [{ texts: { title: '' } }, /texts\.title/],
        [{ texts: { title: 'a'.repeat(1_001) } }, /texts\.title/],
        [{ language: 'German' }, /language/],
      ] as const) {
        const { status, text } = await post(more)
        assert.equal(status, 400, text)
        assert.match(text, expected)
      }
      assert.equal(
        (await post({ texts: { title: 'a'.repeat(1_000) }, min_seconds: 60, hourly_max: 100_000 })).status,
        201,
      )
      const change = async (more: object) =>
        (await people.service.admin('PATCH', `/admin/sign_up_forms/${id}`, more)).body.sign_up_form
      assert.equal((await change({ redirect_url: 'https://example.com/' })).redirect_url, 'https://example.com/')
      assert.equal((await change({ state: 'paused' })).redirect_url, 'https://example.com/')
      assert.equal((await change({ redirect_url: '' })).redirect_url, undefined)
      assert.equal((await asAdmin('DELETE', `/admin/sign_up_forms/${id}`)).status, 204)
      assert.equal((await people.page(path)).status, 404)
    })
  })
}
