import assert from 'node:assert/strict'
import PostalMime from 'postal-mime'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { insertTemplates } from '../../src/content/templates/template-store.ts'
import type { EmailObject } from '../../src/messaging/mail/email-object.ts'
import { type PrepareServices, prepareEmails } from '../../src/messaging/mail/prepare-emails.ts'
import type { MessageToPrepare } from '../../src/messaging/mail/prepared-mail.ts'
import { parseToken } from '../../src/people/addresses/message-token.ts'
import { publicUrl, secret } from '../support/composed-mails.ts'
import {
  dispatch_id,
  email,
  ended,
  fetchAttachments,
  nowMs,
  testPrepared,
  workspace_id,
} from '../support/prepared-mails.ts'

testPrepared('mails for messages', {
  'every text may use values of the person and of the message': async ({ db, person, mail }) => {
    const ann = await person({ custom: { plan: 'gold' } })
    await db.query(sql`
      insert into membership (bucket, profile_id, group_id, state, stamp)
      values (${ann.bucket}, ${ann.profile_id}::int8, 7, 'unsubscribed', '2026-01-01T00:00:00Z')`)
    await db.query(sql`
      insert into device (bucket, profile_id, device_id, model, created_at)
      select ${ann.bucket}, ${ann.profile_id}::int8, v.id, v.id, v.at::timestamptz
      from (values ('Old', '2026-01-01T00:00:00Z'), ('New', '2026-01-02T00:00:00Z')) v(id, at)`)
    const { mail: made, subject } = await mail(
      {
        from: '{{${first_name}}}s Shop <{{custom_attribute.${plan}}}@example.com>',
        reply_to: 'help+{{custom_attribute.${plan}}}@example.com',
        subject: '\n{% assign x = 1 %}\n Hi {{${first_name} | upcase}}',
        preheader: '{{${last_used_app_date} | date: "%B"}}',
        body: `<p>{{\${service_id}}} {{subscribed_state.\${email_global}}} {{subscribed_state.\${g-news}}}
          {{most_recently_used_device.\${model}}} {{app.\${name}}}</p>`,
        plaintext_body: '{{campaign.${dispatch_id}}} {{${random_bucket_number}}}',
        headers: { 'X-Plan': '{{custom_attribute.${plan}}}', 'X-None': '{{${nothing}}}' },
        attachments: [{ file_name: 'for {{${first_name}}}', url: 'https://f.example/{{${first_name}}}.txt' }],
      },
      ann,
    )
    assert.equal(subject, 'Hi ANN')
    assert.deepEqual(made.from, { name: 'Anns Shop', address: 'gold@example.com' })
    assert.equal(made.replyTo?.[0]?.address, 'help+gold@example.com')
    assert.match(made.html!, new RegExp(`<p>service-${ann.profile_id} subscribed unsubscribed\\s+New Phone</p>`))
    assert.match(made.html!, />February&#847;/)
    assert.equal(made.text?.trim(), `${dispatch_id.replaceAll('-', '')} 77`)
    assert.deepEqual(
      made.headers.filter(({ key }) => key.startsWith('x-')).map(({ key, value }) => [key, value]),
      [['x-plan', 'gold']],
    )
    assert.equal(made.attachments[0]!.filename, 'for Ann.txt')
  },

  'many people of several orders get their own mail, in the given order': async ({ person, parts }) => {
    const people: MessageToPrepare[] = []
    for (let i = 0; i < 12; i++) {
      const one = await person({ first_name: `P${i}`, email: `p${i}@example.org` })
      people.push({
        ...one,
        dispatch_id: `0000000${i % 3}-0000-4000-8000-000000000000`,
        content: { ...email, subject: `${i % 3} {{\${first_name}}}` },
      })
    }
    const mails = await prepareEmails(parts, people)
    assert.deepEqual(
      mails.map((mail) => 'raw' in mail && [mail.subject, mail.envelope.to, mail.domain]),
      people.map((one, i) => [`${i % 3} P${i}`, [one.address], 'example.org']),
    )
  },

  'the template has the values that the object does not have': async ({ db, mail, person, prepare }) => {
    const template = {
      ...{ id: 't', name: 't', description: '', subject: 'From the template', preheader: 'Look', tags: [] },
      ...{
        body: '<style>p{color:red}</style><p>{{${first_name}}}</p>',
        plaintext_body: 'Plain {{${first_name}}}',
        should_inline_css: true,
      },
    }
    await insertTemplates(db, workspace_id, [template], new Date(nowMs))
    const { app_id, from } = email
    const [whole] = await prepare({ app_id, from, email_template_id: 't' }, [await person()])
    assert.ok(whole && 'raw' in whole)
    const made = await PostalMime.parse(whole.raw)
    assert.match(made.html!, /Look[\s\S]*<p style="color: red;">Ann<\/p>/)
    assert.deepEqual([made.subject, made.text?.trim()], ['From the template', 'Plain Ann'])
    const { mail: other } = await mail({
      email_template_id: 't',
      subject: 'Mine',
      body: '<style>p{color:red}</style><p>Own</p>',
      should_inline_css: false,
    })
    assert.equal(other.subject, 'Mine')
    assert.match(other.html!, /Look[\s\S]*<p>Own<\/p>/)
    assert.equal(other.text?.trim(), 'Own', 'the text part of the template is used with its body')
  },

  'a missing template fails the messages of all people': async (bed) => {
    const { reason, inputs } = await ended(bed, { email_template_id: 'gone' })
    assert.deepEqual([reason, inputs], ['template_error', { email_template_id: 'gone' }])
  },

  'an abort or error of a template is an outcome of one person': async (bed) => {
    const [ann, bob, cid] = [
      await bed.person(),
      await bed.person({ first_name: 'Bob' }),
      await bed.person({ first_name: 'Cid' }),
    ]
    const body = `<p>
      {% if \${first_name} == "Bob" %}{% abort_message("no bobs") %}{% endif %}
      {% if \${first_name} == "Cid" %}{{ 1 | divided_by: 0 }}{% endif %}</p>x`
    const [first, second, third] = await bed.prepare({ ...email, body }, [ann, bob, cid])
    assert.ok(first && 'raw' in first)
    assert.deepEqual(second, { reason: 'aborted_by_template', rule: 'no bobs', inputs: {} })
    assert.ok(third && 'reason' in third && third.reason === 'template_error')
    const { text, line, column } = third.inputs as { text: string; line: number; column: number }
    assert.deepEqual([text, line, column > 0], ['body', 3, true])
  },

  'a rendered text must be valid for its member': async (bed) => {
    const nobody = '{{${nothing}}}'
    const table: [Partial<EmailObject>, string][] = [
      [{ from: `Shop <${nobody}@example.com>` }, 'from'],
      [{ from: `${nobody}shop@example.com` }, 'from'],
      [{ reply_to: `${nobody}not an address` }, 'reply_to'],
      [{ headers: { 'X-A': `${nobody}${'x'.repeat(994)}` } }, 'headers.X-A'],
      [{ subject: `${nobody}${'x'.repeat(1_001)}` }, 'subject'],
      [{ preheader: `${nobody}${'x'.repeat(1_001)}` }, 'preheader'],
      [{ extras: { note: `${nobody}${'x'.repeat(10_000)}` } }, 'extras'],
      [{ body: nobody }, 'body'],
      [{ body: `${nobody}${'<div>'.repeat(300)}` }, 'body'],
    ]
    for (const [more, member] of table) {
      const { reason, rule, inputs } = await ended(bed, more)
      assert.deepEqual([reason, inputs], ['template_error', { text: member }], rule)
      assert.ok(rule.includes(member), rule)
    }
    const { reason, inputs } = await ended(bed, {}, { ...(await bed.person()), address: 'no address' })
    assert.deepEqual([reason, inputs], ['template_error', { text: 'to' }])
  },

  'an unavailable attachment fails the message, and an available one may have a warning': async (bed) => {
    const attachments = [{ file_name: 'a', url: 'https://f.example/refused.txt' }]
    const { reason, rule } = await ended(bed, { attachments })
    assert.deepEqual([reason, rule], ['attachment_failed', 'attachments[0]: https://f.example/refused.txt'])
    const { warnings } = await bed.mail({ attachments: [{ file_name: 'a', url: 'https://f.example/a.txt' }] })
    assert.deepEqual(warnings, ['a warning'])
  },

  'files are kept in memory for mails of 32 megabytes in all': async ({ parts, person }) => {
    const attachments = Array.from({ length: 5 }, () => ({ file_name: 'a', url: 'https://f.example/a.txt' }))
    let held = 0
    let most = 0
    // Memory is read once at the beginning, and after each mail.
    const elapsed = () => {
      held = Math.max(held - 1, 0)
      return 0
    }
    const clock = { ...parts.clock, elapsed }
    const counting: PrepareServices['fetchAttachments'] = async (files, scope) => {
      most = Math.max(most, ++held)
      return fetchAttachments(files, scope)
    }
    const content = { ...email, attachments }
    const people = [await person(), await person(), await person(), await person(), await person()]
    const made = await prepareEmails(
      { ...parts, clock, fetchAttachments: counting },
      people.map((one) => ({ ...one, content })),
    )
    assert.deepEqual([made.every((mail) => 'raw' in mail), most], [true, 3])
  },

  'the workspace sets the reply address and the header of extras': async ({ settings, mail }) => {
    settings({ reply_to: 'help@example.com', extras_header: 'X-Args' })
    const { mail: made } = await mail({ extras: { who: '{{${first_name}}}', n: 1 } })
    assert.equal(made.replyTo?.[0]?.address, 'help@example.com')
    assert.equal(made.headers.find(({ key }) => key === 'x-args')?.value, '{"who": "Ann", "n": 1}')
    const { mail: without } = await mail({ reply_to: null })
    assert.equal(without.replyTo, undefined)
    const { mail: nothing } = await mail({ reply_to: '{% if false %}a@b.co{% endif %}' })
    assert.equal(nothing.replyTo, undefined)
  },

  'opens and clicks are tracked only where workspace and person allow it': async ({ settings, mail, person }) => {
    const body = '<a href="https://x.example/">x</a>'
    const counts = async (how: Partial<MessageToPrepare>) => {
      const { raw, links } = await mail({ body }, await person(), how)
      return [links.length, /src=3D"https:\/\/mail\.example\.com\/o\//.test(raw.toString().replaceAll('=\r\n', ''))]
    }
    assert.deepEqual(await counts({}), [1, true])
    assert.deepEqual(await counts({ tracking: { opens: false, clicks: true } }), [1, false])
    settings({ track_clicks: false })
    assert.deepEqual(await counts({}), [0, true])
    settings({ track_clicks: false, track_opens: false })
    assert.deepEqual(await counts({}), [0, false])
  },

  'templates may link to the unsubscribe page; only marketing mail has the header': async ({ mail, person }) => {
    const ann = await person()
    const body =
      '<a href="{{${set_user_to_unsubscribed_url}}}">out</a> <a href="{{${preferences_url}}}">choose</a> {{${unsubscribe_url}}}'
    const { mail: made, links } = await mail({ body }, ann)
    assert.deepEqual(links, [], 'unsubscribe links are not tracked')
    const [out, choose] = [...made.html!.matchAll(/href="([^"]*)"/g)].map((match) => match[1]!)
    const named = { profile_id: ann.profile_id, message_id: ann.message_id }
    assert.deepEqual(parseToken(out!.replace(`${publicUrl}/u/`, ''), 'unsubscribe', secret), named)
    assert.deepEqual(parseToken(choose!.replace(`${publicUrl}/preferences/`, ''), 'preferences', secret), named)
    const header = made.headers.find(({ key }) => key === 'list-unsubscribe')!.value
    assert.match(header, new RegExp(`^<${out}>, <mailto:unsubscribe\\+[0-9a-v]{52}@bounce\\.example\\.com>$`))
    assert.equal(made.headers.find(({ key }) => key === 'list-unsubscribe-post')?.value, 'List-Unsubscribe=One-Click')
    const { mail: plain } = await mail({ body }, ann, { class: 'transactional' })
    assert.deepEqual(
      plain.headers.filter(({ key }) => key.startsWith('list-')),
      [],
    )
    const again = await mail({ body }, ann)
    assert.equal(again.mail.messageId, made.messageId)
  },

  'a merged person gets the mail as the kept one, and a deleted person gets none': async (bed) => {
    const kept = await bed.person({ first_name: 'Kept' })
    const merged = await bed.person({ first_name: 'Merged', merged_into: kept.profile_id, merged_bucket: kept.bucket })
    const deleted = { ...kept, profile_id: nextProfileId(5, nowMs), bucket: 5 }
    const [first, second] = await bed.prepare({ ...email, subject: '{{${first_name}}}' }, [merged, deleted])
    assert.equal(first && 'subject' in first && first.subject, 'Kept')
    assert.equal(second && 'reason' in second && second.reason, 'deleted')
  },

  'an unavailable database is an error, not an outcome': async ({ parts, person }) => {
    const one = { ...(await person()), content: { ...email, subject: '{{${first_name}}}' } }
    const db = { ...parts.db, query: () => Promise.reject(new Error('unavailable')) } as unknown as Db
    await assert.rejects(prepareEmails({ ...parts, db }, [one]), /unavailable/)
  },
})
