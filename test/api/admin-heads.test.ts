import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeAccount, signIn } from '../support/accounts.ts'
import { canvas, isPlan, message } from '../support/canvases.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { many, newEmail, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

for (const database of drawDatabases('admin-heads')) {
  describe(`GET /admin/heads (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const put = async (section: string, entry: object): Promise<Any> => {
      const { status, body, text } = await people.service.admin('POST', `/admin/${section}`, entry)
      assert.equal(status, 201, text)
      return Object.values(body).find((value) => typeof value === 'object')
    }
    const heads = async (kind: string): Promise<Any[]> => {
      const { status, body, text } = await people.service.admin('GET', `/admin/heads/${kind}`)
      assert.equal(status, 200, text)
      return body[kind]
    }
    const headOf = async (kind: string, id: string): Promise<Any> => (await heads(kind)).find((head) => head.id === id)
    const usersOf = async (kind: string, id: string) => {
      const { used_by, used_by_count } = await headOf(kind, id)
      assert.equal(used_by.length, used_by_count)
      return used_by.map((user: Any) => `${user.kind} ${user.name}`).sort()
    }

    test('each list says what uses its things, and follows every change', async () => {
      const [block, catalog] = [newId('block'), newId('catalog')]
      const group = await put('subscription_groups', { name: newId('Group'), channel: 'email' })
      const { id: catalog_id } = await put('catalogs', { name: catalog, fields: [{ name: 'id', type: 'string' }] })
      const footer = await put('content_blocks', { name: block, content: `\n  Best wishes,\nus` })
      const body = `{{content_blocks.\${${block}}}} {% catalog_items ${catalog} 1 %}`
      const template = await put('email_templates', {
        name: newId('Template'),
        subject: 'Hello {{${first_name}}}',
        body,
      })
      const inner = await put('segments', {
        name: newId('Inner'),
        audience: { subscription_group: { subscription_group_id: group.id, comparison: 'is', value: 'subscribed' } },
      })
      const outer = await put('segments', { name: newId('Outer'), audience: { segment: { segment_id: inner.name } } })
      assert.deepEqual(await usersOf('segments', inner.id), [`segments ${outer.name}`])
      assert.deepEqual(await usersOf('segments', outer.id), [])
      assert.deepEqual(await usersOf('subscription_groups', group.id), [`segments ${inner.name}`])
      assert.deepEqual(await usersOf('content_blocks', footer.id), [`email_templates ${template.name}`])
      assert.deepEqual(await usersOf('catalogs', catalog_id), [`email_templates ${template.name}`])

      const flow = canvas(newId('canvas'), [message('hello')], { segment: { segment_id: outer.id } })
      const mailed = { ...mail({ subject: `{{content_blocks.\${${block}}}}` }), email_template_id: template.id }
      await put('canvases', { ...flow, steps: [{ id: 'hello', type: 'message', channel: 'email', message: mailed }] })
      assert.deepEqual(await usersOf('segments', outer.id), [`canvases ${flow.name}`])
      assert.deepEqual(await usersOf('email_templates', template.id), [`canvases ${flow.name}`])
      assert.deepEqual(await usersOf('content_blocks', footer.id), [
        `canvases ${flow.name}`,
        `email_templates ${template.name}`,
      ])

      await people.service.admin('PATCH', `/admin/email_templates/${template.id}`, { body: 'Nothing special' })
      await people.service.admin('PATCH', `/admin/canvases/${flow.id}`, { segment: { segment_id: inner.id } })
      assert.deepEqual(await usersOf('catalogs', catalog_id), [])
      assert.deepEqual(await usersOf('segments', outer.id), [])
      assert.deepEqual(await usersOf('segments', inner.id), [`canvases ${flow.name}`, `segments ${outer.name}`])
      await people.service.admin('POST', `/admin/canvases/${flow.id}/stop`, {})
      assert.deepEqual(await usersOf('segments', inner.id), [`segments ${outer.name}`])
    })

    test('each thing is described without its content', async () => {
      const description = 'What it is for'
      const segment = await put('segments', { name: newId('S'), description, tags: ['a'], audience: isPlan('gold') })
      const { updated_at, ...rest } = await headOf('segments', segment.id)
      assert.ok(Date.parse(updated_at) > 0)
      const unused = { used_by: [], used_by_count: 0 }
      const sentence = '`plan` is `gold`'
      const membership = 'People are in this segment when: `plan` is `gold`.'
      const { id, name } = segment
      const said = { id, name, description, tags: ['a'], sentence, membership }
      assert.deepEqual(rest, { ...said, size: null, size_on: null, ...unused })

      const block = await put('content_blocks', { name: newId('b'), content: ` \n ${'x'.repeat(200)}\nmore` })
      assert.equal((await headOf('content_blocks', block.id)).first_line, 'x'.repeat(120))
      const template = await put('email_templates', { name: newId('T'), subject: 'Hi', body: 'secret' })
      const head = await headOf('email_templates', template.id)
      assert.deepEqual([head.subject, 'body' in head], ['Hi', false])
      const group = await put('subscription_groups', { name: newId('G'), channel: 'sms' })
      const named = { id: group.id, name: group.name, channel: 'sms', archived: false, has_double_opt_in: false }
      assert.deepEqual(await headOf('subscription_groups', group.id), { ...named, ...unused })
    })

    test('canvases say how people enter, how many are in them, and what the last week was like', async () => {
      const delay = { id: 'wait', type: 'delay', for: 'P3D', next: 'hello' }
      const flow: Any = canvas(newId('canvas'), [delay, message('hello')])
      await put('canvases', flow)
      const ids = many(3, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, email: newEmail() })))
      const recipients = ids.map((external_user_id) => ({ external_user_id }))
      await people.service.post('/canvas/trigger/send', { canvas_id: flow.id, recipients })
      const figures = async () => {
        const { sentence, waiting, entered, sent, state, version, last_sent_at } = await headOf('canvases', flow.id)
        assert.equal(sentence, 'People enter when the API says so, as often as that happens.')
        assert.deepEqual([state, version, last_sent_at === null], ['active', 1, sent === 0])
        return { waiting, entered, sent }
      }
      // Counts of those who wait are kept for some seconds.
      const counted = (waiting: number) =>
        eventually(`${waiting} people wait`, async () => (await figures()).waiting === waiting)
      await people.service.advance('PT1M')
      await counted(3)
      assert.deepEqual(await figures(), { waiting: 3, entered: 3, sent: 0 })
      await people.delete({ external_ids: [ids[0]] })
      await people.service.advance('P3D')
      await counted(0)
      assert.deepEqual(await figures(), { waiting: 0, entered: 3, sent: 2 })
      // The days of the week: today and six before. The entries were three days earlier than the messages.
      await people.service.advance('P4D')
      assert.deepEqual(await figures(), { waiting: 0, entered: 0, sent: 2 })
    })

    test('an account sees the lists that it may read, and no names of what it may not', async () => {
      const segment = await put('segments', { name: newId('S'), audience: isPlan('gold') })
      const flow = canvas(newId('canvas'), [message('hello')], { segment: { segment_id: segment.id } })
      await put('canvases', flow)
      const permissions = { appGroup: [{ appGroupId: 'default', appGroupPermissions: ['view_segments'] }] }
      const session = await signIn(people.service, people.db, await makeAccount(people.db, permissions))
      const { body } = await session.send('GET', '/admin/heads/segments')
      const head = body.segments.find(({ id }: Any) => id === segment.id)
      assert.deepEqual([head.used_by, head.used_by_count], [[], 1])
      assert.equal((await session.send('GET', '/admin/heads/catalogs')).status, 403)
    })
  })
}
