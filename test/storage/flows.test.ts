import assert from 'node:assert/strict'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { deleteSegment } from '../../src/audience/segments/store.ts'
import { systemActor } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { configSections } from '../../src/config-sections.ts'
import { conditionTrees } from '../../src/messaging/flows/conditions.ts'
import { findFlow, flowsById, listFlows } from '../../src/messaging/flows/find-flows.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { applyFile } from '../../src/workspace/file/apply.ts'
import { checkFile } from '../../src/workspace/file/check-file.ts'
import { onBothDatabases } from '../support/databases.ts'
import { only } from '../support/people.ts'

const email = { app_id: 'web', from: 'Shop <shop@example.com>', subject: 'Hello', body: `<p>${'x'.repeat(5_000)}</p>` }
const has = (name: string) => ({ custom_attribute: { custom_attribute_name: name, comparison: 'exists' } })
const apps = [{ id: 'web', name: 'Web', platform: 'web' }]
const canvas = (id: string, more: object = {}) => ({
  ...{ id, name: id, state: 'active', first: 'hi', steps: [{ id: 'hi', type: 'message', message: email }] },
  ...more,
})

/** Applies a file to a new workspace and returns its number. */
async function apply(db: Db, file: object): Promise<number> {
  await bootstrap(db, systemClock(), { apiKey: 'a-key-of-tests', adminToken: 'a-token-of-tests' })
  const given = { workspace: { id: 'shop', name: 'Shop' }, ...file }
  await applyFile(
    { db, clock: systemClock(), actor: systemActor },
    configSections,
    checkFile(given, '', () => undefined, configSections),
  )
  const [row] = await db.query<{ workspace_id: number }>(sql`select workspace_id from workspace where id = 'shop'`)
  return row!.workspace_id
}

onBothDatabases('flows are found by kind and id, and a version is read once while it is cached', async (open) => {
  const db = await open()
  const workspace_id = await apply(db, { apps, canvases: [canvas('a'), canvas('b'), canvas('c')] })
  await apply(db, { canvases: [canvas('a', { rate: '5/min' })] })
  const flow = await findFlow(db, workspace_id, 'canvas', 'a')
  assert.deepEqual([flow?.version, flow?.state, flow?.class, flow?.last_sent_at], [2, 'active', 'marketing', null])
  for (const id of ['none', 'a\u0000', '']) assert.equal(await findFlow(db, workspace_id, 'canvas', id), undefined)
  assert.equal(await findFlow(db, workspace_id, 'campaign', 'a'), undefined)
  const all = await listFlows(db, workspace_id, 'canvas')
  assert.deepEqual(
    all.map(({ id }) => id),
    ['a', 'b', 'c'],
  )
  assert.equal((await flowsById(db, [flow!.flow_id, flow!.flow_id, -1])).get(flow!.flow_id)?.id, 'a')

  const graphs = new Graphs(12_000)
  const { flow_id } = flow!
  const first = await graphs.get(db, flow_id, 1)
  assert.equal(first.rate, undefined)
  assert.deepEqual((await graphs.get(db, flow_id, 2)).rate, { count: 5, perMs: 60_000 })
  assert.equal(await graphs.get(db, flow_id, 1), first)
  const many = await graphs.getAll(
    db,
    all.map(({ flow_id, version }) => ({ flow_id, version })),
  )
  assert.equal(many.size, 3)
  assert.notEqual(await graphs.get(db, flow_id, 1), first, 'the cache still had the version')
  await assert.rejects(graphs.get(db, flow_id, 3), /version \d+\/3 of a flow does not exist/)
})

onBothDatabases('conditions use the present trees of segments, and nobody is in a removed segment', async (open) => {
  const db = await open()
  const segments = [
    { id: 'inner', name: 'Inner', audience: has('a') },
    { id: 'outer', name: 'Outer', audience: { AND: [has('b'), { segment: { segment_id: 'Inner' } }] } },
  ]
  const workspace_id = await apply(db, { segments })
  const conditions = [
    { segment_id: 'inner' },
    { segment_id: 'Outer' },
    { audience: { NOT: { segment: { segment_id: 'inner' } } } },
    { audience: has('c') },
    { segment_id: 'none' },
  ]
  const names = async () =>
    (await conditionTrees(db, workspace_id, conditions)).map((tree) => {
      const text = JSON.stringify(tree) ?? ''
      return [...text.matchAll(/"path":\["(\w)"\]/g)].map((match) => match[1]).join('')
    })
  assert.deepEqual(await names(), ['a', 'ba', 'a', 'c', ''])
  await apply(db, { segments: [{ ...segments[0], audience: has('d') }] })
  assert.deepEqual(await names(), ['d', 'bd', 'd', 'c', ''])
  await deleteSegment(db, workspace_id, 'inner')
  assert.deepEqual(await names(), ['', '', '', 'c', ''])
  assert.deepEqual(await conditionTrees(db, workspace_id, []), [])
  const gone = await conditionTrees(db, workspace_id, conditions.slice(0, 1))
  assert.equal(only(gone), undefined)
})
