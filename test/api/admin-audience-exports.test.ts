import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { seriesDaysMax } from '../../src/audience/segments/schema.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { download, type Entry, filesIn, overOf, segmentOf } from '../support/exports.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newId, peopleOf } from '../support/people.ts'

const permitted = (...appGroupPermissions: string[]) => {
  return { appGroup: [{ appGroupName: 'Default', appGroupPermissions }] }
}

for (const database of drawDatabases('admin-audience-exports')) {
  describe(`sizes and exports of segments for administrators (${database})`, () => {
    let db: Db
    const people = peopleOf(database, {
      opened(opened) {
        db = opened
      },
    })
    const send = (method: string, path: string, body?: unknown) => {
      return people.service.send(method, path, body, { key: people.service.adminToken })
    }
    const make = async (count: number): Promise<{ id: string; ids: readonly string[] }> => {
      const [id, ids] = [newId('segment'), many(count, () => newId())]
      if (count > 0) await people.set(...ids.map((external_id) => ({ external_id, plan: id })))
      await people.service.admin('POST', '/admin/segments', segmentOf(id, 'plan', id))
      return { id, ids }
    }
    const listed = async (): Promise<readonly Entry[]> => (await send('GET', '/admin/exports?limit=100')).body.exports

    test('the sizes of a segment are those of its data series', async () => {
      const { id } = await make(3)
      const { status, body } = await send('GET', `/admin/segments/${id}/sizes`)
      assert.equal(status, 200)
      assert.deepEqual(
        body.data.map(({ size }: { size: number }) => size),
        [3],
      )
      const series = await people.service.get(`/segments/data_series?segment_id=${id}&length=1`)
      assert.deepEqual(body, series.body)
      await people.set({ external_id: newId(), plan: id })
      // Today was counted already.
      for (const days of [1, seriesDaysMax]) {
        assert.deepEqual((await send('GET', `/admin/segments/${id}/sizes?days=${days}`)).body.data, body.data)
      }
      for (const days of ['0', String(seriesDaysMax + 1), 'x', '-1', '1.5']) {
        const answer = await send('GET', `/admin/segments/${id}/sizes?days=${days}`)
        assert.equal(answer.status, 400)
        assert.equal(answer.body.message, `'days' must be a whole number from 1 to ${seriesDaysMax}`)
      }
      assert.equal((await send('GET', '/admin/segments/nobody/sizes')).status, 404)
    })

    test('an export is written, listed and audited', async () => {
      const { id, ids } = await make(4)
      const asked = { fields_to_export: ['external_id'], output_format: 'gzip', custom_attributes_to_export: ['plan'] }
      const { status, text, body, headers } = await send('POST', `/admin/segments/${id}/export`, asked)
      assert.equal(status, 201, text)
      const { audit } = (await send('GET', `/admin/audit?request_id=${headers['x-request-id']}`)).body
      const change = audit.find(({ kind }: Item) => kind === 'change')
      assert.deepEqual([change.action, change.target], ['segment.export', { kind: 'segment', id, name: id }])
      assert.deepEqual(change.after, { fields: ['external_id'], custom_attributes: 1, output_format: 'gzip' })
      const entry = await overOf(body.object_prefix, listed)
      assert.deepEqual([entry.state, entry.people, entry.people_in_all], ['done', 4, 4])
      const file = await download(people.service.url, body.url)
      const { all } = filesIn(file.bytes, 'gzip')
      assert.deepEqual(all!.map(({ external_id }) => external_id).toSorted(), ids.toSorted())
      assert.deepEqual(all![0]!.custom_attributes, { plan: id })
    })

    test('the exports of one segment are listed apart, with a link that needs no host and no key', async () => {
      const [one, other] = [await make(1), await make(1)]
      for (const { id } of [one, other]) {
        const asked = { fields_to_export: ['external_id'], output_format: 'gzip' }
        assert.equal((await send('POST', `/admin/segments/${id}/export`, asked)).status, 201)
      }
      const of = async (id: string) => (await send('GET', `/admin/exports?segment_id=${encodeURIComponent(id)}`)).body
      const { exports, fields } = await of(one.id)
      assert.equal(exports.length, 1)
      const entry = await overOf(exports[0].object_prefix, async () => (await of(one.id)).exports)
      assert.equal(entry.segment_id, one.id)
      const { pathname, search } = new URL(entry.url!)
      assert.equal(entry.path, pathname + search)
      const response = await fetch(people.service.url + entry.path)
      assert.deepEqual(filesIn(Buffer.from(await response.arrayBuffer()), 'gzip').all, [{ external_id: one.ids[0] }])
      for (const unknown of ['nobody', '\0']) assert.deepEqual((await of(unknown)).exports, [])
      assert.ok(fields.includes('external_id') && fields.includes('custom_attributes'))
      const asked = { fields_to_export: fields, output_format: 'gzip' }
      assert.equal((await send('POST', `/admin/segments/${one.id}/export`, asked)).status, 201)
    })

    test('an export that is being written shows how far it is', async () => {
      const { id } = await make(5)
      const { body } = await send('POST', `/admin/segments/${id}/export`, { fields_to_export: ['external_id'] })
      await overOf(body.object_prefix, listed)
      const entryWith = async (state: string, written: number) => {
        await db.query(sql`
          update segment_export set state = ${state}, lease = 'another', leased_until = '2100-01-01', people = ${written}::int4
          where id = ${body.object_prefix}`)
        const entry = (await listed()).find(({ object_prefix }) => object_prefix === body.object_prefix)!
        return [entry.people, entry.people_in_all]
      }
      assert.deepEqual(await entryWith('running', 2), [2, 5])
      assert.deepEqual(await entryWith('running', 6), [6, 6])
      assert.deepEqual(await entryWith('waiting', 0), [0, null])
      await db.query(sql`delete from segment_export where id = ${body.object_prefix}`)
    })

    test('a bad export is refused with the name of the member', async () => {
      const { id } = await make(0)
      const path = `/admin/segments/${id}/export`
      const cases: readonly [unknown, RegExp][] = [
        [{}, /^'fields_to_export' is required /],
        [{ fields_to_export: ['external_id'], output_format: 'csv' }, /^'output_format' must be zip or gzip$/],
        [{ fields_to_export: ['external_id'], custom_attributes_to_export: 5 }, /^'custom_attributes_to_export' must /],
      ]
      for (const [body, message] of cases) {
        const answer = await send('POST', path, body)
        assert.equal(answer.status, 400)
        assert.match(answer.body.message, message)
      }
      for (const body of [null, [], 'x']) assert.equal((await send('POST', path, body)).status, 400)
      const unknown = await send('POST', '/admin/segments/nobody/export', { fields_to_export: ['external_id'] })
      assert.equal(unknown.status, 404)
    })

    test('the people of a subscription group are counted by state', async () => {
      const id = newId('group')
      await people.service.admin('POST', '/admin/subscription_groups', { id, name: id, channel: 'email' })
      const states = ['subscribed', 'subscribed', 'unsubscribed']
      const groups = states.map((subscription_state) => [{ subscription_group_id: id, subscription_state }])
      await people.set(...groups.map((subscription_groups) => ({ external_id: newId(), subscription_groups })))
      const { status, body } = await send('GET', `/admin/subscription_groups/${id}/counts`)
      assert.equal(status, 200)
      const { at, ...counts } = body
      assert.ok(Date.parse(at) > 0)
      assert.deepEqual(counts, {
        subscribed: { count: 2, error: 0 },
        unsubscribed: { count: 1, error: 0 },
        is_exact: true,
        message: 'success',
      })
      for (const unknown of ['nobody', '%00']) {
        assert.equal((await send('GET', `/admin/subscription_groups/${unknown}/counts`)).status, 404)
      }
    })

    test('each route takes its ability', async () => {
      const { id } = await make(0)
      const group = newId('group')
      await people.service.admin('POST', '/admin/subscription_groups', { id: group, name: group, channel: 'email' })
      const statuses = async (...permissions: string[]) => {
        const one = await signIn(people.service, db, await makeAccount(db, permitted(...permissions)))
        const answers = [
          await one.send('GET', `/admin/segments/${id}/sizes`),
          await one.send('POST', `/admin/segments/${id}/export`, { fields_to_export: ['external_id'] }),
          await one.send('GET', `/admin/subscription_groups/${group}/counts`),
        ]
        return answers.map(({ status }) => status)
      }
      assert.deepEqual(await statuses('view_campaigns'), [403, 403, 403])
      assert.deepEqual(await statuses('view_segments'), [200, 403, 403])
      assert.deepEqual(await statuses('export_user_data'), [403, 403, 403])
      assert.deepEqual(await statuses('export_user_data', 'view_pii'), [403, 201, 403])
      assert.deepEqual(await statuses('manage_subscription_groups'), [403, 403, 200])
    })
  })
}
