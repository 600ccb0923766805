import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { strangerEventsMax } from '../../src/workspace/audit/event-window.ts'
import type { AuditEntry } from '../../src/workspace/audit/schema.ts'
import { lendDatabase } from '../servers/spare.ts'
import { eventually } from '../support/eventually.ts'
import { download, pathOf, segmentOf } from '../support/exports.ts'
import { drawDatabases, requestOrigin, scimToken } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { type Item, newId, People } from '../support/people.ts'
import { everyRow } from '../support/table-rows.ts'

type Row = AuditEntry & { readonly after: Item }

for (const database of drawDatabases('admin-audit-observed')) {
  describe(`observed requests in the audit (${database})`, () => {
    const people = mailedOf(database, {})
    const rowsOf = async (query: string): Promise<Row[]> =>
      (await people.service.admin('GET', `/admin/audit?${query}`)).body.audit
    /** Waits for rows: they are written after the answer. */
    const written = async (query: string): Promise<Row> => {
      await eventually(`a row for ${query}`, async () => (await rowsOf(query)).length > 0)
      return (await rowsOf(query))[0]!
    }
    const requestOf = (headers: Record<string, unknown>) => `request_id=${headers['x-request-id']}`

    test('reading people is recorded with the caller, and other reads are not', async () => {
      const external_id = newId()
      await people.set({ external_id, first_name: 'Ada' })
      const asked = await people.service.send('GET', `/admin/why?external_id=${external_id}`, undefined, {
        key: people.service.adminToken,
      })
      const keyed = await people.service.post('/users/export/ids', {
        external_ids: [external_id],
        fields_to_export: ['first_name'],
      })
      const other = await people.service.send('GET', '/admin/apps', undefined, { key: people.service.adminToken })
      assert.deepEqual([asked.status, keyed.status, other.status], [200, 201, 200])
      const byAdmin = await written(requestOf(asked.headers))
      assert.deepEqual(
        [byAdmin.kind, byAdmin.action, byAdmin.target, byAdmin.after],
        ['access', 'people.read', { kind: 'endpoint', id: 'GET /admin/why', name: null }, { status: 200, requests: 1 }],
      )
      const byKey = await written(requestOf(keyed.headers))
      assert.deepEqual(
        [byKey.action, byKey.actor.kind, byKey.target.id, byKey.workspace],
        ['people.read', 'key', 'POST /users/export/ids', 'default'],
      )
      assert.deepEqual(await rowsOf(requestOf(other.headers)), [])
      assert.ok(!JSON.stringify([byAdmin, byKey]).includes(external_id), 'a row names no person')
    })

    test('an export and its download are recorded', async () => {
      const id = newId('segment')
      await people.service.admin('POST', '/admin/segments', segmentOf(id, 'n', 1))
      const { body, headers } = await people.service.post('/users/export/segment', {
        segment_id: id,
        fields_to_export: ['external_id'],
        output_format: 'gzip',
      })
      const accepted = await written(requestOf(headers))
      assert.equal(accepted.action, 'people.export')
      await eventually('the export is there', async () => (await download(people.service.url, body.url)).status === 200)
      const object = pathOf(body.url).split('?')[0]!.split('/').at(-1)
      const row = await written(`action=export.download&target=export:${object}`)
      assert.deepEqual([row.kind, row.actor.kind], ['access', 'anonymous'])
    })

    test('refused sign-ins are recorded with their reason and without the link', async () => {
      const token = `easel_link_${'x'.repeat(32)}`
      const link = await people.service.send('GET', `/sign-in/link/${token}`, undefined, { key: null })
      const byLink = await written(requestOf(link.headers))
      assert.deepEqual([byLink.kind, byLink.action], ['refusal', 'session.refuse'])
      assert.deepEqual(byLink.after, { status: 404, reason: 'Unknown link', requests: 1 })
      assert.ok(!JSON.stringify(byLink).includes(token))

      const asked = await people.service.send('POST', '/sign-in', 'email=nobody%40example.com', {
        key: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      assert.equal(asked.status, 200)
      const byName = await written(requestOf(asked.headers))
      assert.deepEqual([byName.action, byName.after.name], ['session.refuse', 'nobody@example.com'])

      const guessed = await people.service.send('GET', '/admin/apps', undefined, { key: 'guess' })
      const byToken = await written(requestOf(guessed.headers))
      assert.deepEqual([byToken.action, byToken.after.reason], ['admin.refuse', 'Invalid admin token'])
    })

    test('a refused SCIM request is recorded with the reason that the provider got', async () => {
      const ask = (method: string, path: string, body: object | undefined, headers = {}) =>
        people.service.send(method, path, body, {
          key: scimToken,
          headers: { 'x-request-origin': requestOrigin, ...headers },
        })
      const invalid = await ask('POST', '/scim/v2/Users', { userName: 'not an address\0' })
      const elsewhere = await ask('GET', '/scim/v2/Users', undefined, { 'x-request-origin': 'https://example.com' })
      const nowhere = await ask('GET', '/scim/Users?secret=1', undefined)
      const missing = await ask('PATCH', '/scim/v2/Users/nobody', { Operations: [{ op: 'replace', value: {} }] })
      const answers = [invalid, elsewhere, nowhere, missing]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [400, 403, 404, 404],
      )
      const rows = await Promise.all(answers.map(({ headers }) => written(requestOf(headers))))
      assert.deepEqual(
        rows.map(({ action, actor, target }) => [action, actor.kind, target.id]),
        [
          ['scim.refuse', 'scim', 'POST /scim/v2/Users'],
          ['scim.refuse', 'anonymous', 'GET /scim/v2/Users'],
          ['scim.refuse', 'anonymous', 'GET /scim/Users'],
          ['scim.refuse', 'scim', 'nobody'],
        ],
      )
      for (const [i, { after }] of rows.entries()) {
        const { detail } = JSON.parse(answers[i]!.text)
        assert.equal(after.reason, detail.replaceAll('\0', '\ufffd'))
      }
    })
  })

  test(`strangers fill the audit with a bounded number of rows, and others are served (${database})`, async () => {
    const place = await lendDatabase(database)
    const people = new People()
    await people.start({ on: place })
    const count = 8 * strangerEventsMax
    let served = 0
    try {
      const strangers = Promise.all(
        Array.from({ length: count }, (_, i) =>
          people.service.send('GET', `/scim/${newId()}/${i}`, undefined, { key: null }),
        ),
      )
      for (let i = 0; i < 5; i++, served++) {
        assert.equal(
          (await people.service.post('/users/track', { attributes: [{ external_id: newId(), n: 1 }] })).status,
          201,
        )
      }
      assert.ok((await strangers).every(({ status }) => status === 404))
    } finally {
      await people.stop()
    }
    const rows = (await everyRow(place.db)).filter(
      ({ table, text }) => table === 'audit' && text.includes('scim.refuse'),
    )
    await place.db.close()
    const omitted = rows.filter(({ text }) => text.includes('audit.omit'))
    assert.equal(rows.length - omitted.length, strangerEventsMax)
    assert.deepEqual([omitted.length, served], [1, 5])
    const left = Number(/requests"": (\d+)/.exec(omitted[0]!.text)?.[1])
    assert.equal(left + strangerEventsMax, count)
  })
}
