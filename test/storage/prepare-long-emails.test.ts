import assert from 'node:assert/strict'
import PostalMime from 'postal-mime'
import type { EmailTexts } from '../../src/messaging/mail/assemble-bodies.ts'
import { trackedLinksMax } from '../../src/messaging/mail/decorate-html.ts'
import { messageLinks } from '../../src/messaging/mail/message-links.ts'
import { encodedHereCharactersMax, renderTexts } from '../../src/messaging/mail/render-texts.ts'
import { parseToken } from '../../src/people/addresses/message-token.ts'
import { compose, linkParts, secret } from '../support/composed-mails.ts'
import { email, ended, testPrepared, workspace_id } from '../support/prepared-mails.ts'

const tracking = { opens: true, clicks: true }

testPrepared('long mails', {
  'a body is encoded where it was rendered when it is long or has styles to inline': async ({ parts, person }) => {
    const one = await person()
    const links = [messageLinks(one, linkParts)]
    const workspace = parts.workspaces.get(workspace_id)
    const isElsewhere = async (texts: EmailTexts, inlineCss = false) => {
      const [rendered] = await renderTexts(
        parts,
        { workspace, texts, app_id: 'app', inlineCss },
        [one],
        links,
        Infinity,
      )
      assert.ok(rendered && 'texts' in rendered, JSON.stringify(rendered))
      return rendered.encoded !== undefined
    }
    const [name, plaintext_body] = ['{{${first_name}}}', 'in words']
    for (const by of [-1, 0, 1]) {
      const rest = 'x'.repeat(encodedHereCharactersMax + by - plaintext_body.length)
      assert.equal(await isElsewhere({ body: rest, plaintext_body }), by > 0)
      const body = `${name}${rest.slice('Ann'.length)}`
      assert.equal(await isElsewhere({ body, plaintext_body }), by > 0)
      // The length of the person's name counts, not the length of its Liquid.
      assert.equal(await isElsewhere({ body: rest.slice('Ann'.length), plaintext_body, preheader: name }), by > 0)
    }
    assert.equal(await isElsewhere({ body: '<p>x</p>' }, true), true)
    assert.equal(await isElsewhere({ body: '<p>x</p>', subject: name }, true), true)
  },

  'a long body makes the same mail as a short one': async (bed) => {
    const style = '<style>p{color:red}</style>'
    const short = `${style}<p>Hi {{${'${first_name}'}}} <a href="https://x.example/?{{${'${first_name}'}}}">x</a></p>`
    const people = [await bed.person(), await bed.person({ first_name: 'Bob' })]
    for (const should_inline_css of [false, true]) {
      const more = { subject: 'Hi', preheader: 'x'.repeat(60), should_inline_css }
      const filler = 'é '.repeat(encodedHereCharactersMax)
      const [ann, bob] = await bed.prepare({ ...email, ...more, body: `${short}${filler}` }, people)
      for (const [mail, { profile_id, message_id }, name] of [
        [ann, people[0]!, 'Ann'],
        [bob, people[1]!, 'Bob'],
      ] as const) {
        assert.ok(mail && 'raw' in mail, JSON.stringify(mail))
        const html = short.replaceAll('{{${first_name}}}', name)
        const way = { links: messageLinks({ profile_id, message_id }, linkParts), isMarketing: true, tracking }
        const expected = await compose({ ...more, html: `${html}${filler}`, inlineCss: should_inline_css }, way)
        const [made, wanted] = await Promise.all([PostalMime.parse(mail.raw), PostalMime.parse(expected.raw)])
        assert.deepEqual([made.html, made.text, mail.links], [wanted.html, wanted.text, expected.links])
        assert.deepEqual(mail.warnings, expected.warnings)
      }
    }
  },

  'a long body without Liquid has its own links for each person, and a mistake in it is that of the message': async (
    bed,
  ) => {
    const body = '<a href="https://x.example/">x</a>'.repeat(1_200)
    const people = [await bed.person(), await bed.person(), await bed.person()]
    const made = await bed.prepare({ ...email, body }, people)
    for (const [i, mail] of made.entries()) {
      assert.ok('raw' in mail, JSON.stringify(mail))
      assert.equal(mail.links.length, trackedLinksMax)
      const { html } = await PostalMime.parse(mail.raw)
      const tokens = [...html!.matchAll(/\/l\/([0-9a-v]{52})\/(\d+)"/g)]
      assert.equal(tokens.length, trackedLinksMax)
      const { profile_id, message_id } = people[i]!
      for (const [, token, n] of [tokens[0]!, tokens.at(-1)!])
        assert.deepEqual(parseToken(token!, 'link', secret, Number(n)), { profile_id, message_id })
    }
    const deep = await ended(bed, { body: '<div>'.repeat(10_000) })
    assert.equal(deep.rule, 'the body has elements more than 250 deep')
    const blank = await ended(bed, { body: '{% if true %} {% endif %}'.repeat(2_000) })
    assert.equal(blank.rule, 'body must not be empty')
  },
})
