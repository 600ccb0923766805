import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { usersNamedMax } from '../../src/workspace/file/refuse-used.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { canvas, isPlan, message } from '../support/canvases.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { many, newEmail, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

for (const database of drawDatabases('admin-used-entries')) {
  describe(`deleting what is in use (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const admin = (method: string, path: string, body?: unknown) => {
      return people.service.send(method, `/admin/${path}`, body, { key: people.service.adminToken })
    }
    const put = async (section: string, entry: object): Promise<Any> => {
      const { status, body, text } = await admin('POST', section, entry)
      assert.equal(status, 201, text)
      return Object.values(body).find((value) => typeof value === 'object')
    }
    const refused = async (path: string, message: string) => {
      const { status, body } = await admin('DELETE', path)
      assert.deepEqual([status, body.message], [409, message])
      assert.equal((await admin('GET', path)).status, 200)
    }
    const deleted = async (path: string) => {
      const { status, text } = await admin('DELETE', path)
      assert.equal(status, 204, text)
      assert.equal((await admin('GET', path)).status, 404)
    }
    const withTemplate = (id: string) => {
      const mailed = { ...mail(), email_template_id: id }
      return { id: 'hello', type: 'message', channel: 'email', message: mailed }
    }

    test('a segment that a canvas, a campaign and a segment use stays, and each is named', async () => {
      const segment = await put('segments', { name: newId('Gold'), audience: isPlan('gold') })
      const audience = { segment: { segment_id: segment.name } }
      const outer = await put('segments', { name: newId('Outer'), audience })
      const flow = await put(
        'canvases',
        canvas(newId('canvas'), [message('hello')], { segment: { segment_id: segment.id } }),
      )
      const campaign = await put('campaigns', {
        ...{ id: newId('campaign'), name: newId('Spring'), state: 'draft', entry: { by: ['api'] }, audience },
        messages: [{ id: 'm1', name: 'One', percent: 100, email: mail() }],
      })
      const path = `segments/${segment.id}`
      const all = [`segment "${outer.name}"`, `canvas "${flow.name}"`, `campaign "${campaign.name}"`]
      await refused(path, `The segment is used by ${all.join(', ')}: change or delete them first`)
      assert.equal((await admin('DELETE', `segments/${outer.id}`)).status, 204)
      assert.equal((await admin('DELETE', `campaigns/${campaign.id}`)).status, 204)
      await refused(path, `The segment is used by canvas "${flow.name}": change or delete it first`)
      // An archived canvas needs nothing any more.
      assert.equal((await admin('POST', `canvases/${flow.id}/stop`, {})).status, 200)
      await deleted(path)
    })

    test('a block that a template includes stays, and a template that a paused canvas sends', async () => {
      const block = await put('content_blocks', { name: newId('block'), content: 'Best wishes' })
      const body = `{{content_blocks.\${${block.name}}}}`
      const template = await put('email_templates', { name: newId('Letter'), subject: 'Hi', body })
      const used = `The content block is used by email template "${template.name}": change or delete it first`
      await refused(`content_blocks/${block.id}`, used)
      const flow = await put('canvases', canvas(newId('canvas'), [withTemplate(template.id)]))
      assert.equal((await admin('POST', `canvases/${flow.id}/pause`, {})).status, 200)
      const path = `email_templates/${template.id}`
      await refused(path, `The email template is used by canvas "${flow.name}": change or delete it first`)
      assert.equal((await admin('PATCH', `canvases/${flow.id}`, { steps: [message('hello')] })).status, 200)
      await deleted(path)
      await deleted(`content_blocks/${block.id}`)
    })

    test('a template stays while people are in the earlier version of a canvas that sends it', async () => {
      const template = await put('email_templates', { name: newId('Letter'), subject: 'Hi', body: 'Hello' })
      const wait = { id: 'wait', type: 'delay', for: 'P3D', next: 'hello' }
      const flow = await put('canvases', canvas(newId('canvas'), [wait, withTemplate(template.id)]))
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email })
      const recipients = [{ external_user_id: external_id }]
      await people.service.post('/canvas/trigger/send', { canvas_id: flow.id, recipients })
      await people.service.advance('PT1M')
      assert.equal((await admin('PATCH', `canvases/${flow.id}`, { steps: [wait, message('hello')] })).status, 200)
      const path = `email_templates/${template.id}`
      await refused(path, `The email template is used by canvas "${flow.name}": change or delete it first`)
      await people.service.advance('P3DT1M')
      const { body } = await admin('GET', `inbox?to=${encodeURIComponent(email)}`)
      assert.equal(body.messages.length, 1)
      await deleted(path)
    })

    test(`at most ${usersNamedMax} users are named, and those that an account may not read are only counted`, async () => {
      const segment = await put('segments', { name: newId('Inner'), audience: isPlan('gold') })
      const path = `segments/${segment.id}`
      const outers: Any[] = []
      const add = async () => {
        outers.push(await put('segments', { name: newId('Outer'), audience: { segment: { segment_id: segment.id } } }))
      }
      const named = () => {
        const names = outers.map(({ name }) => `segment "${name}"`)
        return names.toSorted().slice(0, usersNamedMax)
      }
      for (const _ of many(usersNamedMax - 1, (i) => i)) await add()
      await refused(path, `The segment is used by ${named().join(', ')}: change or delete them first`)
      await add()
      await refused(path, `The segment is used by ${named().join(', ')}: change or delete them first`)
      await add()
      await refused(path, `The segment is used by ${named().join(', ')}, 1 more: change or delete them first`)

      const hidden = await put('segments', { name: newId('Hidden'), audience: isPlan('gold') })
      const flow = canvas(newId('canvas'), [message('hello')], { segment: { segment_id: hidden.id } })
      await put('canvases', flow)
      const appGroupPermissions = ['view_segments', 'edit_segments']
      const permissions = { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }
      const account = await signIn(people.service, people.db, await makeAccount(people.db, permissions))
      const answer = await account.send('DELETE', `/admin/segments/${hidden.id}`)
      assert.equal(answer.text.includes(String(flow.name)), false)
      assert.deepEqual(
        [answer.status, answer.body.message],
        [409, 'The segment is used by 1 that you may not see: change or delete it first'],
      )
    })

    test('what does not exist is still not found', async () => {
      for (const kind of ['segments', 'content_blocks', 'email_templates']) {
        assert.equal((await admin('DELETE', `${kind}/${newId()}`)).status, 404)
      }
    })
  })
}
