import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { previewsMax } from '../../src/content/rendering/open-previews.ts'
import { encodedHereCharactersMax } from '../../src/messaging/mail/render-texts.ts'
import { PreviewPages } from '../../src/messaging/previews/preview-pages.ts'
import { pageMinutes } from '../../src/messaging/previews/schema.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

for (const database of drawDatabases('admin-preview')) {
  describe(`/admin/preview (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const ask = (body: unknown) =>
      people.service.send('POST', '/admin/preview', body, { key: people.service.adminToken })
    const preview = async (body: Item): Promise<Any> => {
      const { status, body: answer, text } = await ask(body)
      assert.equal(status, 200, text)
      return answer
    }
    const put = async (section: string, entry: Item) => {
      const { status, text } = await people.service.admin('POST', `/admin/${section}`, entry)
      assert.equal(status, 201, text)
    }
    const account = async (...appGroupPermissions: string[]) =>
      signIn(
        people.service,
        people.db,
        await makeAccount(people.db, { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }),
      )
    const pageOf = async (path: string, query = '') => {
      const editor = await account('edit_email_templates', 'view_user_profile', 'view_pii')
      return people.page(path + query, editor.headers)
    }

    test('a mail is shown as a person would get it', async () => {
      const external_id = newId()
      const email = `${external_id}@example.com`
      await people.set({ external_id, email, first_name: 'Bo', last_name: 'Li', plan: 'gold' })
      const { service_id } = await people.person(external_id, ['service_id'])
      const mail = {
        subject: 'Welcome,\n {{${first_name}}}',
        preheader: 'Plan {{custom_attribute.${plan}}}',
        body: '<h1>Welcome</h1><p>Plan {{custom_attribute.${plan}}}, <a href="https://shop.example/tea">tea</a></p>',
      }
      for (const person of [service_id, external_id, email, ` ${email.toUpperCase()} `]) {
        const { outcome, texts, mistakes, person: found, sentence, ...rest } = await preview({ mail, person })
        assert.deepEqual([outcome, mistakes, sentence], ['rendered', [], 'Rendered for Bo Li.'])
        assert.deepEqual(found, { id: service_id, name: 'Bo Li' })
        assert.equal(texts.subject, 'Welcome, Bo')
        assert.match(texts.body, /Plan gold/)
        assert.ok(rest.bytes > 500 && Number.isInteger(rest.ms))
        assert.match(rest.text, /Welcome[\s\S]*Plan gold/i)
        const { status, text, headers } = await pageOf(rest.html_url)
        assert.equal(status, 200)
        assert.match(text, /<h1>Welcome<\/h1>/)
        assert.match(text, /href="#" title="https:/)
        assert.doesNotMatch(text, /\/o\/|\/l\//)
        assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none';/)
      }
    })

    test('without a person the data of the request is shown, or an invented person', async () => {
      const mail = { subject: 'Hi {{${first_name}}}', body: '{{custom_attribute.${plan}}} {{context.${gift}}}.' }
      const given = await preview({
        mail,
        personal: { standard: { first_name: 'Cleo' }, custom: { plan: 'free' }, context: { gift: 'cup' } },
      })
      assert.deepEqual([given.texts.subject, given.texts.body, given.person], ['Hi Cleo', 'free cup.', null])
      const invented = await preview({ mail })
      assert.equal(invented.texts.subject, 'Hi Ada')
      assert.equal(invented.sentence, 'Rendered for an invented person.')
      const external_id = newId()
      await people.set({ external_id, first_name: 'Dee', plan: 'gold' })
      const both = await preview({ mail, person: external_id, personal: { context: { gift: 'pen' } } })
      assert.deepEqual([both.texts.subject, both.texts.body], ['Hi Dee', 'gold pen.'])
    })

    test('each text with a mistake says where it is, and the others are rendered', async () => {
      const { outcome, mistakes, texts, html_url, bytes, sentence } = await preview({
        mail: {
          subject: 'Hi {{ ${first_name} | shout }}',
          preheader: 'fine',
          body: '<p>\n  {% if x %}</p>',
          plaintext_body: '{{ 1 | divided_by: 0 }}',
        },
      })
      assert.equal(outcome, 'failed')
      assert.deepEqual(
        mistakes.map(({ text, message, line, column }: Any) => [text, message, line, column]),
        [
          ['subject', 'undefined filter: shout', 1, 4],
          ['body', 'tag {% if x %} not closed', 2, 3],
          ['plaintext_body', 'divided by 0', 1, 1],
        ],
      )
      assert.deepEqual(texts, { preheader: 'fine' })
      assert.deepEqual([html_url, bytes, sentence], [null, null, '3 texts have mistakes.'])
    })

    test('a mistake in a content block names the block', async () => {
      const name = newId('block')
      await put('content_blocks', { name, content: 'x\n{{ 1 | divided_by: 0 }}' })
      const { mistakes } = await preview({ mail: { subject: 'a', body: `<p>{{content_blocks.\${${name}}}}</p>` } })
      assert.deepEqual(mistakes, [
        {
          ...{ text: 'body', content_block: name, line: 2, column: 1 },
          message: `in the content block "${name}": divided by 0`,
        },
      ])
    })

    test('what only a finished mail shows is a mistake of its text, or a warning', async () => {
      const empty = await preview({ mail: { subject: 'a', body: ' {{ nothing }} ' } })
      assert.deepEqual([empty.mistakes[0].text, empty.mistakes[0].message], ['body', 'body must not be empty'])
      const long = await preview({ mail: { subject: '{% for i in (1..2000) %}x{% endfor %}', body: '<p>a</p>' } })
      assert.match(long.mistakes[0].message, /^subject must be at most /)
      const sender = await preview({ mail: { subject: 'a', body: '<p>a</p>', from: 'nobody' } })
      assert.equal(sender.mistakes[0].text, 'from')
      const clipped = await preview({ mail: { subject: 'a', body: `<p>${'word '.repeat(30_000)}</p>` } })
      assert.equal(clipped.outcome, 'rendered')
      assert.match(clipped.warnings.join(), /the body/)
    })

    test('a message that a text ends has a reason and no page', async () => {
      const body = "{% if true %}{% abort_message('no plan') %}{% endif %}"
      const answer = await preview({ mail: { subject: 'a', body } })
      assert.deepEqual([answer.outcome, answer.reason, answer.html_url], ['aborted', 'no plan', null])
      assert.equal(answer.sentence, 'The message is not sent to an invented person: no plan')
    })

    test('a stored template is shown, with the texts of the request in place of its own', async () => {
      const id = newId('template')
      const stored = { id, name: id, subject: 'Stored', preheader: 'Before', body: '<p>Stored</p>' }
      await put('email_templates', { ...stored, plaintext_body: 'Plain' })
      const { texts } = await preview({ mail: { email_template_id: id, subject: 'Mine' } })
      assert.deepEqual(texts, { subject: 'Mine', preheader: 'Before', body: '<p>Stored</p>', plaintext_body: 'Plain' })
    })

    test('a content block is shown alone', async () => {
      const [id, name] = [newId('id'), newId('block')]
      await put('content_blocks', { id, name, content: '<b>{{${first_name}}}</b>' })
      const html = await preview({ content_block: { content_block_id: id } })
      assert.deepEqual([html.outcome, html.texts.content, html.bytes], ['rendered', '<b>Ada</b>', 10])
      assert.match((await pageOf(html.html_url)).text, /<b>Ada<\/b>/)
      const text = await preview({ content_block: { content_block_id: id, content: 'a < b {{${first_name}}}' } })
      assert.match((await pageOf(text.html_url)).text, /<pre [^>]*>a &#60; b Ada<\/pre>/)
      const wrong = await preview({ content_block: { content: 'a\n {{ b | c }}' } })
      assert.deepEqual([wrong.mistakes[0].line, wrong.mistakes[0].column, wrong.html_url], [2, 2, null])
    })

    test('a long body, and one whose styles are inlined, is composed as well', async () => {
      const long = `<p>${'a'.repeat(encodedHereCharactersMax)}{{${'${first_name}'}}} {{ '{{' }}</p>`
      const { outcome, html_url, texts } = await preview({ mail: { subject: 'a', body: long } })
      assert.equal(outcome, 'rendered')
      assert.match(texts.body, /Ada \{\{<\/p>$/)
      assert.match((await pageOf(html_url)).text, /Ada \{\{<\/p>/)
      const styled = '<style>p { color: red }</style><p>a</p>'
      const inlined = await preview({ mail: { subject: 'a', body: styled, should_inline_css: true } })
      assert.match((await pageOf(inlined.html_url)).text, /<p style="color: ?red;?"/)
    })

    test('the page is dark or with pictures when it is asked for', async () => {
      const body = '<style>@media (prefers-color-scheme: dark) { p { color: #fff } }</style><p>a</p>'
      const { html_url } = await preview({ mail: { subject: 'a', body } })
      assert.match((await pageOf(html_url, '&dark=true')).text, /@media \(min-width: 0\)[\s\S]*color-scheme: dark/)
      assert.match((await pageOf(html_url)).text, /@media \(prefers-color-scheme: dark\)/)
      const withPictures = (await pageOf(html_url, '&pictures=true')).headers['content-security-policy']
      assert.match(String(withPictures), /img-src data: https:/)
    })

    test('a preview leads to nobody: no link in it unsubscribes the person', async () => {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com` })
      const body = '<a href="{{${unsubscribe_url}}}">stop</a> {{${preferences_url}}}'
      const { texts } = await preview({ mail: { subject: 'a', body }, person: external_id })
      const [, path] = /href="https?:\/\/[^/]+(\/u\/[^"]+)"/.exec(texts.body)!
      assert.equal((await people.page(path!)).status, 404)
      const { email_subscribe } = await people.person(external_id, ['email_subscribe'])
      assert.notEqual(email_subscribe, 'unsubscribed')
    })

    test('it takes messages.test, and what else it shows takes its own ability', async () => {
      const external_id = newId()
      await people.set({ external_id, first_name: 'Eve' })
      const mail = { subject: '{{${first_name}}}', body: '<p>a</p>' }
      const editor = await account('edit_email_templates')
      const seer = await account('edit_email_templates', 'view_user_profile', 'view_pii')
      const reader = await account('view_email_templates')
      const blocks = await account('edit_content_blocks')
      const post = (who: typeof editor, body: Item) => who.send('POST', '/admin/preview', body)
      assert.equal((await post(editor, { mail })).status, 200)
      assert.equal((await post(reader, { mail })).status, 403)
      assert.match((await post(editor, { mail, person: external_id })).body.message, /people\.read/)
      const stored = { mail: { email_template_id: 'none' } }
      assert.match((await post(blocks, stored)).body.message, /email_templates\.read/)
      const block = { content_block: { content_block_id: 'none' } }
      assert.match((await post(editor, block)).body.message, /content_blocks\.read/)
      const shown = (await post(seer, { mail, person: external_id })).body
      assert.equal(shown.texts.subject, 'Eve')
      assert.equal((await people.page(shown.html_url, seer.headers)).status, 200)
      assert.equal((await people.page(shown.html_url, editor.headers)).status, 403)
      assert.equal((await people.page(shown.html_url, reader.headers)).status, 403)
      assert.equal((await people.page(shown.html_url, {})).status, 401)
      const elsewhere = shown.html_url.replace('workspace=default', 'workspace=none')
      assert.equal((await people.page(elsewhere, seer.headers)).status, 403)
      assert.equal((await people.page('/dashboard/mail/previews/none?workspace=default', seer.headers)).status, 404)
    })

    test('an invalid request is refused with the name of the member', async () => {
      const refused: readonly (readonly [body: unknown, message: RegExp, status?: number])[] = [
        [[], /'mail' or 'content_block'/],
        [{}, /'mail' or 'content_block' or 'message', of one of them/],
        [{ mail: { body: 'a' }, content_block: { content: 'a' } }, /of one of them/],
        [{ mail: 1 }, /'mail' must be an object/],
        [{ mail: {} }, /must have a text/],
        [{ mail: { body: 1 } }, /'mail.body' must be a text/],
        [{ mail: { should_inline_css: 'yes' } }, /'mail.should_inline_css' must be true or false/],
        [{ mail: { text: 'a' } }, /'mail.text' is not a member/],
        [{ mail: { body: 'a' }, other: 1 }, /'other' is not a member/],
        [{ mail: { body: 'a' }, person: 1 }, /'person' must be a text/],
        [{ mail: { body: 'a' }, person: 'a\u0000' }, /'person' is not valid/],
        [{ mail: { body: 'a' }, personal: { custom: 1 } }, /'personal.custom' must be an object/],
        [{ mail: { email_template_id: 'a\u0000' } }, /'mail.email_template_id' is not valid/],
        [{ mail: { email_template_id: 'none' } }, /no e-mail template/, 404],
        [{ content_block: {} }, /'content_block' must have/],
        [{ content_block: { content_block_id: 'none' } }, /no content block/, 404],
        [{ mail: { body: 'a' }, person: newId() }, /no person/, 404],
      ]
      for (const [body, message, status = 400] of refused) {
        const answer = await ask(body)
        assert.equal(answer.status, status, JSON.stringify(body))
        assert.match(answer.body.message, message)
      }
    })

    test('connected content cannot reach this machine or its network', async () => {
      const server = createServer((_, answer) => answer.end('secret'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      try {
        for (const url of [`http://127.0.0.1:${port}/`, 'http://169.254.169.254/latest', 'http://[::1]/']) {
          const { outcome, mistakes, texts } = await preview({
            mail: { subject: 'a', body: `{% connected_content ${url} :save x %}{{x}}` },
          })
          assert.equal(outcome, 'failed', url)
          assert.match(mistakes[0].message, /^connected_content: /)
          assert.deepEqual(texts, { subject: 'a' })
        }
      } finally {
        server.close()
      }
    })

    test(`at most ${previewsMax} previews of a workspace are rendered at a time`, async () => {
      const slow = '{% for i in (1..3000) %}{% for j in (1..100) %}{{ j | times: i }}{% endfor %}{% endfor %}'
      const answers = await Promise.all(many(previewsMax * 3, () => ask({ mail: { subject: 'a', body: slow } })))
      const statuses = answers.map(({ status }) => status)
      assert.ok(statuses.filter((status) => status === 200).length >= previewsMax, String(statuses))
      assert.ok(statuses.includes(429), String(statuses))
    })
  })
}

test('previews are forgotten when their time is over, and the oldest ones when they take too much memory', () => {
  let nowMs = 0
  const pages = new PreviewPages({ elapsed: () => nowMs })
  const add = (bytes: number) => {
    const shown = { source: Buffer.alloc(bytes) }
    const path = pages.add({ workspace_id: 1, ability: 'messages.test', shown }, 'default')
    return /previews\/([^?]+)/.exec(path)![1]!
  }
  const first = add(1)
  nowMs = pageMinutes * 60_000 - 1
  assert.ok(pages.find(1, first))
  assert.equal(pages.find(2, first), undefined)
  nowMs++
  assert.equal(pages.find(1, first), undefined)
  const half = 16 * 2 ** 20
  const [a, b] = [add(half), add(half)]
  assert.ok(pages.find(1, a) && pages.find(1, b))
  add(1)
  assert.equal(pages.find(1, a), undefined)
  assert.ok(pages.find(1, b))
})
