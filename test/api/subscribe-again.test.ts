import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TokenTarget } from '../../src/people/addresses/message-token.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { newEmail, newId } from '../support/people.ts'

for (const database of drawDatabases('subscribe-again')) {
  describe(`the way back from /u (${database})`, () => {
    const people = mailedOf(database)

    const mailed = async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email })
      const named = await people.write(external_id)
      return { external_id, email, named, u: `/u/${people.token(named, 'unsubscribe')}` }
    }
    const preferencesOf = (named: TokenTarget) => `/preferences/${people.token(named, 'preferences')}`
    const stateOf = async (external_id: string) =>
      (await people.person(external_id, ['email_subscribe'])).email_subscribe

    test('the button unsubscribes, and the page offers to restore the state from before', async () => {
      for (const before of ['subscribed', 'opted_in'] as const) {
        const { external_id, u } = await mailed()
        await people.set({ external_id, email_subscribe: before })
        const done = await people.form(u, 'wish=unsubscribe')
        assert.equal(done.status, 200)
        assert.match(done.text, /<h1>You are unsubscribed<\/h1>/)
        assert.equal(await stateOf(external_id), 'unsubscribed')
        assert.match((await people.page(u)).text, /<h1>You are unsubscribed<\/h1>/)
        const [, state = ''] = /name="state" value="(\w+)"/.exec(done.text) ?? []
        assert.equal(state !== '', before === 'opted_in')
        const back = await people.form(u, `wish=subscribe&state=${state}`)
        assert.match(back.text, /<h1>You are subscribed again<\/h1>/)
        assert.equal(await stateOf(external_id), before)
        const [, link] = /href="\.\.(\/preferences\/[0-9a-v]+)"/.exec(back.text)!
        assert.equal((await people.page(link!)).status, 200)
      }
    })

    test('a person is opted in again only with the token that the page gave them', async () => {
      const other = await mailed()
      const foreign = people.token(other.named, 'opted_in')
      for (const state of ['opted_in', foreign, '']) {
        const { external_id, named, u } = await mailed()
        await people.form(u, 'wish=unsubscribe')
        for (const each of [state, people.token(named, 'unsubscribe')]) {
          assert.equal((await people.form(u, `wish=subscribe&state=${each}`)).status, 200)
          assert.equal(await stateOf(external_id), 'subscribed', state)
        }
      }
    })

    test('subscribing again withdraws a complaint, but a bounce stays and the page says so', async () => {
      const cases = [
        ['spam', /as before/, []],
        [
          'hard_bounce',
          /nothing is sent to <bdi>m…@example\.com<\/bdi> for now: e-mails to it came back/,
          ['hard_bounce'],
        ],
        ['soft_bounces', /e-mails to it came back/, ['soft_bounces']],
        ['blocklist', /it was taken off the list/, ['blocklist']],
      ] as const
      for (const [reason, text, left] of cases) {
        const { external_id, email, named, u } = await mailed()
        const unwanted = () => people.service.admin('POST', '/admin/suppressions', { email, reason })
        await unwanted()
        await people.form(u, 'wish=unsubscribe')
        const back = await people.form(u, 'wish=subscribe')
        assert.match(back.text, text)
        assert.equal(/as before/.test(back.text), left.length === 0)
        assert.deepEqual([await stateOf(external_id), await people.suppressed(email)], ['subscribed', left])
        await unwanted()
        const box = () =>
          people.page(preferencesOf(named)).then((page) => /value="yes"( checked)?>/.exec(page.text)![1])
        assert.equal(await box(), reason === 'spam' ? undefined : ' checked', reason)
        const saved = await people.form(preferencesOf(named), 'shown=&mail=yes')
        assert.equal(/nothing is sent/.test(saved.text), left.length > 0)
        assert.deepEqual([await box(), await people.suppressed(email)], [' checked', left])
      }
    })

    test('links work with any number of slashes before them', async () => {
      const { named, u } = await mailed()
      for (const path of [`${u}/`, u.replace('/u/', '/u//'), `${u}//?a=/b/`, `/${u}`]) {
        const { text } = await people.page(path)
        const link = /href="([^"]+preferences[^"]+)"/.exec(text)![1]!
        const { pathname } = new URL(link, new URL(`http://easel.example${path.replace(/^\/+/, '/')}`))
        assert.equal(pathname, preferencesOf(named), path)
      }
    })
  })
}
