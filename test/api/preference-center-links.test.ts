import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { type Item, newEmail, newId, peopleOf } from '../support/people.ts'

const publicUrl = 'https://mail.example.com/easel'
const tagOf = (name: string) => `{{preference_center.$\{${name}}}}`
const linkPattern = /https:\/\/mail\.example\.com\/easel(\/preferences\/[0-9a-v]{52}\/[0-9a-f-]{36})/
/** Characters of a body that is encoded in the process that rendered it. */
const longCharacters = 40_000

for (const database of drawDatabases('preference-center-links')) {
  describe(`links to preference centers in mails (${database})`, () => {
    const people = peopleOf(database, { workspace: sendingWorkspace, env: { PUBLIC_URL: publicUrl } })

    /** Creates a preference center. Returns its tag. */
    const made = async (name: string, more: Item = {}): Promise<string> => {
      const { status, text, body } = await people.service.post('/preference_center/v1', {
        name,
        preference_center_title: 'Your mail',
        preference_center_page_html: `<h1>${name} of {{$\{first_name}}}</h1>`,
        confirmation_page_html: '<p>Saved</p>',
        ...more,
      })
      assert.equal(status, 201, text)
      return body.liquid_tag
    }
    const created = async (path: string, body: Item) => {
      const answer = await people.service.post(path, body)
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    }
    /** Sends a mail to a new person with this name. Returns it from the inbox. */
    const mailed = async (email: Item, first_name = 'Ann') => {
      const [external_id, address] = [newId(), newEmail()]
      await people.set({ external_id, email: address, first_name })
      await created('/messages/send', letter({ external_user_ids: [external_id] }, email))
      const inbox = async () => (await people.service.admin('GET', `/admin/inbox?to=${address}`)).body.messages
      await eventually('the mail', async () => (await inbox()).length > 0)
      const [{ id }] = await inbox()
      return (await people.service.admin('GET', `/admin/inbox/${id}`)).body
    }
    const pageOf = async (text: string) => {
      const [, path = ''] = linkPattern.exec(text) ?? []
      const page = await people.service.get(path, { key: null })
      assert.equal(page.status, 200, text)
      return page.text
    }

    test('the tag that creating returns is a link, which opens the page of that person', async () => {
      const [news, offers] = [newId('news'), newId('offers')]
      const tags = [await made(news), await made(offers)]
      assert.deepEqual(tags, [news, offers].map(tagOf))
      const body = `<a href="${tags[0]}">news</a>`
      for (const first_name of ['Ann', 'Bob']) {
        const { html, text } = await mailed({ body, plaintext_body: `Offers: ${tags[1]}` }, first_name)
        assert.match(await pageOf(html), new RegExp(`<h1>${news} of ${first_name}</h1>`))
        assert.match(await pageOf(text), new RegExp(`<h1>${offers} of ${first_name}</h1>`))
      }
    })

    test('the tag works in long bodies, in templates and in content blocks', async () => {
      const name = newId('center')
      const tag = await made(name)
      const blockName = newId('block')
      await created('/content_blocks/create', { name: blockName, content: `<a href="${tag}">choose</a>` })
      const block = `<p>{{content_blocks.$\{${blockName}}}}</p>`
      const template = { template_name: newId(), subject: 'Hello', body: `<a href="${tag}">choose</a>` }
      const { email_template_id } = await created('/templates/email/create', template)
      const long = `<a href="${tag}">choose</a>${'<p>word</p>'.repeat(longCharacters / 10)}`
      for (const email of [{ body: long }, { body: block }, { body: undefined, email_template_id }]) {
        const { html } = await mailed(email)
        assert.match(await pageOf(html), new RegExp(`<h1>${name} of Ann</h1>`))
      }
    })

    test('an unknown name and a draft are empty, as other values that are absent', async () => {
      const draft = await made(newId('draft'), { state: 'draft' })
      const { text } = await mailed({ plaintext_body: `[${draft}][${tagOf('nobody')}]` })
      assert.equal(text.trim(), '[][]')
    })

    test('the preference centers to which a template links must exist, and their places are named', async () => {
      const name = newId('center')
      const body = `<p>\n  ${tagOf(name)} ${tagOf(name)}\n{{ preference_center.$\{${name}_b} | escape }}</p>`
      const template = { template_name: newId(), subject: tagOf(name), body }
      const { status, body: refusal } = await people.service.post('/templates/email/create', template)
      assert.deepEqual([status, refusal.message], [400, 'Email must have valid Preference Center names'])
      assert.deepEqual(refusal.details, [
        { field: 'subject', message: `There is no Preference Center "${name}"`, line: 1, column: 3 },
        { field: 'body', message: `There is no Preference Center "${name}"`, line: 2, column: 5 },
        { field: 'body', message: `There is no Preference Center "${name}_b"`, line: 3, column: 4 },
      ])
      await made(name)
      await made(`${name}_b`, { state: 'draft' })
      const { email_template_id } = await created('/templates/email/create', template)
      const changed = { email_template_id, subject: tagOf('nobody') }
      assert.equal((await people.service.post('/templates/email/update', changed)).status, 400)
    })
  })
}
