import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { groups, type Item, newEmail, newId } from '../support/people.ts'
import { join, setStates, statesOf } from '../support/subscriptions.ts'

const path = '/preference_center/v1'
const publicUrl = 'https://mail.example.com/easel'
const { news, offers, alerts } = groups

const field = (id: string) => `{{form_field_name.$\{${id}}}}`
const box = (id: string) =>
  `<input type="checkbox" name="${field(id)}" value="subscribed"{% if subscribed_state.$\{${id}} == 'subscribed' %} checked{% endif %}>`
const page = `<style>h1 { color: red }</style><h1>Hello {{$\{first_name} | escape}}</h1>
<form method="post" action="{{submit_url}}">
<p>{{subscribed_state.email_global}} {{subscribed_state.${news.id}}}</p>
<select name="{{form_field_name.email_global_state}}"></select>${box(news.id)}${box(offers.id)}<button>Save</button>
</form>`

for (const database of drawDatabases('preference-center-pages')) {
  describe(`pages of preference centers (${database})`, () => {
    const people = mailedOf(database, { workspace: sendingWorkspace, env: { PUBLIC_URL: publicUrl } })

    const made = async (more: Item = {}): Promise<string> => {
      const { status, text, body } = await people.service.post(path, {
        name: newId('center'),
        preference_center_title: 'Your "mail"',
        preference_center_page_html: page,
        confirmation_page_html: '<p>Saved: {{subscribed_state.email_global}}</p>',
        ...more,
      })
      assert.equal(status, 201, text)
      return body.preference_center_api_id
    }
    const somebody = async (more: Item = {}): Promise<string> => {
      const external_id = newId()
      await people.set({ external_id, email: newEmail(), ...more })
      return external_id
    }
    /** Returns the path of the page for a person. */
    const opened = async (center: string, external_id: string): Promise<string> => {
      const { status, text, body } = await people.service.get(`${path}/${center}/url/${external_id}`)
      assert.equal(status, 200, text)
      const url: string = body.preference_center_url
      assert.ok(url.startsWith(`${publicUrl}/preferences/`), url)
      return url.slice(publicUrl.length)
    }
    /** Returns where the form of a page is sent, with the names of its fields. */
    const formOf = async (url: string) => {
      const { status, text } = await people.page(url)
      assert.equal(status, 200, text)
      const [, action = ''] = /action="([^"]*)"/.exec(text) ?? []
      const [email, first, second] = [...text.matchAll(/name="((?:email|group)[^"]*)"/g)].map(([, name]) => name!)
      return { url: url + action, text, email: email!, news: first!, offers: second! }
    }
    const stateOf = async (external_id: string) =>
      (await people.person(external_id, ['email_subscribe'])).email_subscribe

    test('the link of a person opens the page, rendered for that person', async () => {
      const icon = { rel: 'icon', href: 'https://files.example/a"b.png' }
      const options = { 'meta-viewport-content': 'width=500', 'link-tags': [icon] }
      const external_id = await somebody({ first_name: 'Ann <3' })
      await setStates(people, join(news, { external_id }))
      const { status, headers, text } = await people.page(await opened(await made({ options }), external_id))
      assert.equal(status, 200)
      assert.match(text, /<h1>Hello Ann &lt;3<\/h1>/)
      assert.match(text, /<p>subscribed subscribed<\/p>/)
      assert.match(text, /name="group_state_\d+" value="subscribed" checked>/)
      assert.match(text, /name="group_state_\d+" value="subscribed">/)
      assert.match(
        text,
        /<title>Your &#34;mail&#34;<\/title>\n<link rel="icon" href="https:\/\/files.example\/a&#34;b.png">/,
      )
      assert.match(text, /<meta name="viewport" content="width=500">/)
      assert.equal(
        headers['content-security-policy'],
        "sandbox allow-forms allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src https: data:; " +
          "style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['x-robots-tag'], 'noindex, nofollow')
      assert.equal(await stateOf(external_id), 'subscribed')
    })

    test('the form changes what the page showed, and then the confirmation is shown', async () => {
      const external_id = await somebody()
      await setStates(people, join(offers, { external_id }), join(alerts, { external_id }))
      const form = await formOf(await opened(await made(), external_id))
      const saved = await people.form(form.url, `${form.email}=opted_in&${form.news}=subscribed`)
      assert.equal(saved.status, 200)
      assert.match(saved.text, /<p>Saved: opted_in<\/p>/)
      const states = ['Alerts: Subscribed', 'News: Subscribed', 'Offers: Unsubscribed']
      assert.deepEqual(await statesOf(people, external_id), states)
      assert.equal(await stateOf(external_id), 'opted_in')
      assert.match((await people.form(form.url, `${form.email}=subscribed&${form.news}=on`)).text, /Saved: opted_in/)
      // A page without {{submit_url}}, so that nobody knows what it showed.
      const bare = form.url.split('?')[0]!
      assert.match((await people.form(bare, `${form.offers}=unsubscribed&${form.offers}=subscribed`)).text, /opted_in/)
      assert.deepEqual(await statesOf(people, external_id), [...states.slice(0, 2), 'Offers: Subscribed'])
      assert.match((await people.form(bare, '')).text, /Saved: opted_in/)
      // A form without checked boxes.
      assert.match((await people.form(form.url, '')).text, /Saved: unsubscribed/)
      assert.deepEqual(await statesOf(people, external_id), [states[0], 'News: Unsubscribed', 'Offers: Unsubscribed'])
      assert.match((await people.form(bare, `${form.email}=on`)).text, /Saved: subscribed/)
    })

    test('a form that is not understood changes nothing', async () => {
      const external_id = await somebody()
      const { url, email, news: group } = await formOf(await opened(await made(), external_id))
      const bare = url.split('?')[0]!
      const shown = `${bare}?shown`
      for (const body of [`${email}=maybe`, `${group}=opted_in`, `${email}=unsubscribed&${group}=x`]) {
        assert.equal((await people.form(url, body)).status, 400, body)
      }
      for (const list of ['x', 'group_state_1x', `${email}..`, 'group_state_-1']) {
        assert.equal((await people.form(`${shown}=${list}`, '')).status, 400, list)
      }
      const [sms] = await people.db.query<{ id: number }>(sql`
        select group_id as id from subscription_group where id = ${alerts.id}`)
      const others = `group_state_${sms!.id}=subscribed&group_state_99999=subscribed&other=x`
      assert.equal((await people.form(bare, others)).status, 200)
      assert.deepEqual(await statesOf(people, external_id), [])
      assert.equal(await stateOf(external_id), 'subscribed')
    })

    test('a page that cannot be rendered is replaced by that of Easel', async () => {
      const external_id = await somebody()
      const endless = '{% for i in (1..9000) %}{% for j in (1..9000) %}{{i}}{% endfor %}{% endfor %}'
      const asking = '{% connected_content https://files.example/a :save a %}{{a}}'
      const long = `{% for i in (1..5001) %}{{ 'x' | append: '${'y'.repeat(120)}' }}{% endfor %}`
      for (const html of [endless, asking, long, "{% abort_message('no') %}"]) {
        const url = await opened(await made({ preference_center_page_html: html }), external_id)
        const { status, text } = await people.page(url)
        assert.equal(status, 200)
        assert.match(text, /<h1>Your e-mail preferences<\/h1>/, html)
        assert.match((await people.form(url, 'shown=&mail=yes')).text, /Your preferences are saved/)
      }
      const url = await opened(await made({ confirmation_page_html: endless }), external_id)
      assert.match((await people.form(url, 'email_global_state=unsubscribed')).text, /Your preferences are saved/)
      assert.equal(await stateOf(external_id), 'unsubscribed')
    })

    test('a link is valid for one person and one preference center', async () => {
      const [center, other, external_id] = [await made(), await made({ state: 'draft' }), await somebody()]
      const url = await opened(center, external_id)
      const [, , token = ''] = url.split('/')
      assert.equal((await people.page(await opened(other, external_id))).status, 200)
      const named = await people.write(external_id)
      const paths = [
        `/preferences/${token}`,
        `/preferences/${token}/${other}`,
        `/preferences/${token}/x`,
        `/preferences/x/${center}`,
        `/preferences/${people.token(named, 'preferences')}/${center}`,
        `/u/${token}`,
      ]
      for (const each of paths) {
        assert.equal((await people.page(each)).status, 404, each)
        assert.equal((await people.form(each, 'email_global_state=unsubscribed')).status, 404, each)
      }
      assert.equal(await stateOf(external_id), 'subscribed')
      await people.delete({ external_ids: [external_id] })
      for (const answer of [await people.page(url), await people.form(url, '')]) {
        assert.equal(answer.status, 404)
        assert.match(answer.text, /This link does not work/)
      }
    })

    test('the link of somebody who does not exist is refused', async () => {
      const center = await made()
      for (const user_id of ['nobody', '%20', 'x'.repeat(988)]) {
        assert.equal((await people.service.get(`${path}/${center}/url/${user_id}`)).status, 400, user_id)
      }
      const external_id = await somebody({ first_name: 'Ann' })
      const unknown = await people.service.get(`${path}/unknown/url/${external_id}`)
      assert.equal(unknown.body.message, 'Preference Center ID is invalid for this workspace')
    })
  })
}
