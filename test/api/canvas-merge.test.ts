import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDevice, tell } from '../support/devices.ts'
import { drawDatabases, startService } from '../support/harness.ts'
import { mail } from '../support/messages.ts'
import { apps, type Item, newId, peopleOf } from '../support/people.ts'
import { linesOf, peopleIn, restore } from '../support/people-lines.ts'

const canvas: Item = {
  ...{ id: 'walk', name: 'Walk', state: 'active', class: 'transactional', entry: { by: ['api'], again: 'never' } },
  first: 'hello',
  steps: [
    { id: 'hello', type: 'message', message: mail({ subject: 'hello' }), next: 'wait' },
    { id: 'wait', type: 'delay', for: 'P3D', next: 'bye' },
    { id: 'bye', type: 'message', message: mail({ subject: 'bye' }) },
  ],
}
const workspace = { apps: Object.values(apps), canvases: [canvas] }
const env = { EASEL_CLOCK: 'virtual' }

for (const database of drawDatabases('canvas-merge')) {
  describe(`people who are merged or deleted while they are in a canvas (${database})`, () => {
    const people = peopleOf(database, { workspace, env })

    async function newPerson(): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com` })
      return external_id
    }

    async function trigger(...ids: string[]): Promise<void> {
      const recipients = ids.map((external_user_id) => ({ external_user_id }))
      const answer = await people.send('/canvas/trigger/send', { canvas_id: 'walk', recipients })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
    }

    async function subjectsTo(external_id: string): Promise<string[]> {
      const { body } = await people.service.admin('GET', `/admin/inbox?to=${external_id}@example.com`)
      return body.messages.toReversed().map(({ subject }: Item) => subject)
    }

    async function endsOf(external_id: string): Promise<(string | null)[]> {
      const { body } = await people.service.admin('GET', `/admin/why?external_id=${external_id}&canvas_id=walk`)
      return body.entries.map(({ ended }: Item) => ended).toSorted()
    }

    test('a merged person continues as the kept person and does not enter again', async () => {
      const [gone, kept] = [await newPerson(), await newPerson()]
      await trigger(gone)
      await people.merge({ external_id: gone }, { external_id: kept })
      await people.service.advance('P4D')
      assert.deepEqual([await subjectsTo(gone), await subjectsTo(kept)], [['hello'], ['bye']])
      await trigger(kept)
      assert.deepEqual(await endsOf(kept), ['already_entered', 'completed'])
      assert.deepEqual(await subjectsTo(kept), ['bye'])
    })

    test('two merged people who are both in the canvas get the remaining messages once', async () => {
      const [gone, kept] = [await newPerson(), await newPerson()]
      await trigger(gone, kept)
      await people.merge({ external_id: gone }, { external_id: kept })
      await people.service.advance('P4D')
      assert.deepEqual([await subjectsTo(gone), await subjectsTo(kept)], [['hello'], ['hello', 'bye']])
      assert.deepEqual(await endsOf(kept), ['completed', 'merged'])
    })

    test('an anonymous person that an SDK identifies continues as the person with the external_id', async () => {
      const [device, kept, alias_name] = [newDevice(), await newPerson(), newId()]
      const user_alias = { alias_label: 'visitor', alias_name }
      await tell(people, device, { identifier: { user_alias } })
      await people.track({ attributes: [{ user_alias, email: `${alias_name}@example.com` }] })
      const answer = await people.send('/canvas/trigger/send', { canvas_id: 'walk', recipients: [{ user_alias }] })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      await tell(people, device, { identifier: { external_id: kept } })
      await people.service.advance('P4D')
      assert.deepEqual([await subjectsTo(alias_name), await subjectsTo(kept)], [['hello'], ['bye']])
      assert.deepEqual(await endsOf(kept), ['completed'])
    })

    test('a deleted person gets nothing more, and a new person with the same identifier begins anew', async () => {
      const gone = await newPerson()
      await trigger(gone)
      await people.delete({ external_ids: [gone] })
      await people.set({ external_id: gone, email: `${gone}@example.com` })
      await people.service.advance('P4D')
      assert.deepEqual(await endsOf(gone), [])
      await trigger(gone)
      await people.service.advance('P4D')
      assert.deepEqual(await endsOf(gone), ['completed'])
    })

    test('an exported person keeps their entry in another installation and does not enter again there', async () => {
      const external_id = await newPerson()
      await trigger(external_id)
      await people.service.advance('P4D')
      const lines = await linesOf(people.service)
      const [own] = peopleIn(lines).filter(({ profile }) => profile.external_id === external_id)
      assert.deepEqual(
        own.flow_steps.map(({ flow_id, step }: Item) => `${flow_id} ${step}`),
        ['canvas:walk bye', 'canvas:walk hello'],
      )
      await using bare = await startService({ database, env, workspace: { apps: workspace.apps } })
      assert.deepEqual((await restore(bare, [own])).unknown_flows, ['canvas:walk'])
      await using other = await startService({ database, env, workspace })
      assert.deepEqual((await restore(other, lines)).unknown_flows, [])
      const [there] = peopleIn(await linesOf(other)).filter(({ profile }) => profile.external_id === external_id)
      assert.deepEqual([there.flows, there.flow_steps], [own.flows, own.flow_steps])
      await other.post('/canvas/trigger/send', { canvas_id: 'walk', recipients: [{ external_user_id: external_id }] })
      await other.advance('PT1S')
      const { body } = await other.admin('GET', `/admin/why?external_id=${external_id}&canvas_id=walk`)
      assert.equal(body.entries[0].ended, 'already_entered')
    })
  })
}
