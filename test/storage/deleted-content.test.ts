import assert from 'node:assert/strict'
import { sql } from '../../src/base/db/sql.ts'
import { onBothDatabases } from '../support/databases.ts'
import { act, add, at, dispatchId, insert, personOf, workspace_id } from './crowd.ts'

const [ada, bea, kept] = [1, 2, 3].map(personOf)

const email = {
  app_id: 'app',
  from: 'Secret <a@example.com>',
  subject: 'secret',
  body: '<p>secret</p>',
  headers: { 'X-Word': 'secret' },
  extras: { word: 'secret' },
  email_template_id: 'template',
}
const flow = { flow_id: 7, kind: 'canvas', id: 'c', by: 'api', properties: { word: 'secret' } }
const audience = { AND: [{ email: 'secret@example.com' }] }

onBothDatabases('an order keeps its content until its last recipient is deleted', async (open) => {
  const db = await open()
  await add(db, ada!, { profile: { external_id: 'ada' } })
  await add(db, bea!, { profile: { external_id: 'bea' } })
  await add(db, kept!, { profile: { external_id: 'kept' } })
  const named = (...ids: string[]) =>
    ids.map((id) => ({ external_user_id: id, properties: { word: `secret of ${id}` } }))
  const sendings = [
    { recipients: named('ada'), broadcast: false, email },
    { recipients: named('ada', 'bea'), broadcast: false, flow, audience, segment_id: 's' },
    { recipients: named('ada', 'kept'), broadcast: false, email },
    { recipients: named('ada', 'nobody'), broadcast: false, email },
    { broadcast: true, email, audience },
  ]
  const times = { created_at: at(1), updated_at: at(1), unsettled: false }
  await insert(
    db,
    'dispatch',
    sendings.map((sending, i) => {
      return { dispatch_id: dispatchId(i + 1), workspace_id, class: 'marketing', ...times, state: 'active', sending }
    }),
  )
  const stored = async () => {
    const rows = await db.query<{ sending: object }>(sql`select sending from dispatch order by dispatch_id`)
    return rows.map(({ sending }) => sending)
  }
  const empty = { recipients: [], broadcast: false, email: { app_id: 'app', from: '', email_template_id: 'template' } }
  await act(db, { type: 'delete', from: ada! })
  assert.deepEqual(await stored(), [
    empty,
    { ...sendings[1], recipients: named('bea') },
    { ...sendings[2], recipients: named('kept') },
    { ...sendings[3], recipients: named('nobody') },
    sendings[4],
  ])
  await act(db, { type: 'delete', from: bea! })
  const { properties: _, ...bare } = flow
  assert.deepEqual((await stored())[1], { recipients: [], broadcast: false, flow: bare, segment_id: 's' })
  await act(db, { type: 'merge', from: kept!, into: await someone() })
  assert.deepEqual((await stored())[2], {
    ...sendings[2],
    recipients: [{ ...named('kept')[0], external_user_id: 'other' }],
  })

  async function someone() {
    const other = personOf(9)
    await add(db, other, { profile: { external_id: 'other' } })
    return other
  }
})
