import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { databases, drawDatabases } from '../support/harness.ts'
import { newId, only, peopleOf, type WorkEntry } from '../support/people.ts'

for (const database of drawDatabases('admin-work-actions')) {
  describe(`POST /admin/work/{request_id}/{position}/retry (${database})`, () => {
    let db: Db
    const people = peopleOf(database, { opened: (opened) => (db = opened) })
    const act = (item: Pick<WorkEntry, 'request_id' | 'position'>, action: string, query = '') =>
      people.service.post(`/admin/work/${item.request_id}/${item.position}/${action}${query}`, undefined, {
        key: people.service.adminToken,
      })

    test('a merge that found nobody is tried again when the people are there', async () => {
      const [gone, kept] = [newId('gone'), newId('kept')]
      const item = await people.merge({ external_id: gone }, { external_id: kept })
      assert.deepEqual([item.outcome, item.actions, item.family], ['nobody_matched', ['retry'], 'held'])
      await people.set({ external_id: gone, plan: 'gold' }, { external_id: kept })
      const { status, body, text } = await act(item, 'retry')
      assert.equal(status, 200, text)
      assert.deepEqual([body.work.outcome, body.work.position], ['done', item.position])
      await people.settled()
      const [audited] = (await people.service.admin('GET', '/admin/audit?action=work.retry')).body.audit
      assert.equal(audited.target.id, `${item.request_id}/${item.position}`)
      assert.deepEqual(
        [audited.before, audited.after],
        [
          { state: 'done', outcome: 'nobody_matched' },
          { state: 'waiting', outcome: null },
        ],
      )
      const again = await act(item, 'retry')
      assert.deepEqual([again.status, again.body.message], [409, 'It has ended, and another try would change nothing'])
    })

    test('a failed deletion keeps its request, and is tried again', async () => {
      const external_id = newId('leaver')
      await people.set({ external_id })
      const request_id = randomUUID()
      const who = JSON.stringify({ who: { kind: 'external_id', value: external_id } })
      await db.execute(`
        insert into work (bucket, request_id, position, workspace_id, kind, asked, person_hashes, state, outcome,
          accepted_at, finished_at)
        select ${Number.parseInt(request_id.slice(0, 3), 16)}, '${request_id}', 0, workspace_id, 'delete', '${who}', '{x}',
          'done', 'failed', now(), now() from workspace`)
      const item = only((await people.work(`request_id=${request_id}`)).work)
      assert.deepEqual([item.asked, item.actions, item.family], [{ external_id }, ['retry'], 'failed'])
      assert.equal((await act(item, 'retry')).status, 200)
      await people.settled()
      const done = only((await people.work(`request_id=${request_id}`)).work)
      assert.deepEqual([done.outcome, done.asked, done.actions], ['done', null, []])
    })

    test('what has ended cannot be discarded, and what does not exist is not found', async () => {
      const item = await people.merge({ external_id: newId('nobody') }, { external_id: newId('nobody') })
      const { status, body } = await act(item, 'discard')
      assert.deepEqual([status, body.message], [409, 'It has ended, so there is nothing to discard'])
      for (const unknown of [
        { ...item, position: item.position + 1 },
        { ...item, request_id: randomUUID() },
        { ...item, request_id: 'x' },
      ]) {
        assert.equal((await act(unknown, 'retry')).status, 404)
      }
      const id = newId('shop')
      await people.service.admin('POST', '/admin/workspace', { id, name: id })
      assert.equal((await act(item, 'retry', `?workspace=${id}`)).status, 404)
    })
  })
}

describe('POST /admin/work/{request_id}/{position}/discard', {
  skip: databases.includes('postgres') ? false : 'PostgreSQL is not here',
}, () => {
  // Without a worker, items wait.
  const people = peopleOf('postgres', { env: { EASEL_ROLE: 'http' } })
  const post = (path: string) => people.service.post(path, undefined, { key: people.service.adminToken })

  test('an item that waits is discarded, and can be tried again', async () => {
    const [gone, kept] = [newId('gone'), newId('kept')]
    await people.set({ external_id: gone }, { external_id: kept })
    const merge_updates = [{ identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }]
    assert.equal((await people.send('/users/merge', { merge_updates })).status, 202)
    const waiting = only((await people.work('state=waiting')).work)
    assert.deepEqual([waiting.actions, waiting.sentence], [['discard'], 'It waits to be carried out.'])
    const path = `/admin/work/${waiting.request_id}/${waiting.position}`
    const discarded = await post(`${path}/discard`)
    assert.equal(discarded.status, 200, discarded.text)
    const { state, outcome, actions, finished_at } = discarded.body.work
    assert.deepEqual([state, outcome, actions, typeof finished_at], ['done', 'discarded', ['retry'], 'string'])
    const audited = only<{ before: unknown; after: unknown }>(
      (await people.service.admin('GET', '/admin/audit?action=work.discard')).body.audit,
    )
    assert.deepEqual(audited.before, { state: 'waiting', outcome: null })
    assert.deepEqual(audited.after, { state: 'done', outcome: 'discarded' })
    assert.equal((await people.person(gone)).external_id, gone)
    assert.equal((await post(`${path}/discard`)).status, 409)
    const retried = await post(`${path}/retry`)
    assert.equal(retried.body.work.outcome, 'done')
  })
})
