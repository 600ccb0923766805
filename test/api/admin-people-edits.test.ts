import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { auditedNamesMax } from '../../src/people/edits/schema.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { ago, hourMs, type Item, many, newEmail, newId } from '../support/people.ts'

/** The most objects of a track request, unless the environment says otherwise. */
const batchMax = 50

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

for (const database of drawDatabases('admin-people-edits')) {
  describe(`changes of one person by an administrator (${database})`, () => {
    const people = mailedOf(database)
    const send = (method: string, path: string, body?: unknown) =>
      people.service.send(method, `/admin/people/${path}`, body, { key: people.service.adminToken })
    const ok = async (method: string, path: string, body?: unknown): Promise<Any> => {
      const answer = await send(method, path, body)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const idOf = async (external_id: string) => (await people.person(external_id)).service_id!
    const made = async (more: Item = {}) => {
      const external_id = newId()
      await people.set({ external_id, ...more })
      return { external_id, id: await idOf(external_id) }
    }
    const auditOf = async (action: string) =>
      (await people.service.admin('GET', `/admin/audit?action=${action}&limit=1`)).body.audit[0] as Any

    test('attributes, events and purchases are applied by the intake, and the audit has no values of them', async () => {
      const { external_id, id } = await made({ plan: 'free', first_name: 'Ada' })
      const time = ago(hourMs)
      const reply = await ok('POST', `${id}/track`, {
        attributes: { plan: 'secret-plan', visits: { inc: 2 }, first_name: null, email: 'ada.secret@example.com' },
        events: [{ name: 'called', time, properties: { about: 'secret-talk' } }],
        purchases: [{ product_id: 'tea', currency: 'EUR', price: 4.5, time }],
      })
      assert.deepEqual([reply.attributes_processed, reply.events_processed, reply.purchases_processed], [1, 1, 1])
      const person = await people.person(external_id)
      assert.deepEqual(person.custom_attributes, { plan: 'secret-plan', visits: 2 })
      assert.deepEqual([person.first_name, person.email], [undefined, 'ada.secret@example.com'])
      assert.equal((await people.eventsOf(external_id))[0]!.name, 'called')
      assert.equal((await people.purchasesOf(external_id))[0]!.name, 'tea')
      const row = await auditOf('person.track')
      assert.equal(row.target.kind, 'person')
      const attributes = ['plan', 'visits', 'first_name', 'email']
      assert.deepEqual([row.before, row.after], [null, { attributes, events: 1, purchases: 1 }])
      for (const secret of [id, 'secret', external_id]) assert.ok(!JSON.stringify(row).includes(secret), secret)
    })

    test('the audit row has at most a hundred names, and the number of the others', async () => {
      const { id } = await made()
      for (const [count, further] of [
        [auditedNamesMax - 1, undefined],
        [auditedNamesMax, undefined],
        [auditedNamesMax + 1, 1],
      ] as const) {
        await ok('POST', `${id}/track`, { attributes: Object.fromEntries(many(count, (i) => [`a${i}`, i])) })
        const { after } = await auditOf('person.track')
        assert.deepEqual(
          [after.attributes.length, after.further_attributes],
          [Math.min(count, auditedNamesMax), further],
        )
      }
    })

    test('what is not kept is named by its member, and what names a person is refused', async () => {
      const { id } = await made()
      const kept = await ok('POST', `${id}/track`, { attributes: { email: 'ada@example.com', long: 'x'.repeat(256) } })
      assert.deepEqual(
        kept.notices?.map(({ member }: Any) => member),
        ['long'],
      )
      const refused = await send('POST', `${id}/track`, { attributes: { email: 'no address' } })
      assert.deepEqual([refused.status, refused.body.errors[0].input_array], [400, 'attributes'])
      for (const named of [
        { external_id: 'other' },
        { user_alias: {} },
        { service_id: id },
        { push_token_import: true },
      ]) {
        const [name] = Object.keys(named)
        const answer = await send('POST', `${id}/track`, { attributes: named })
        assert.deepEqual(
          [answer.status, answer.body.message],
          [400, `'${name}' cannot be given: the path names the person`],
        )
        assert.equal(
          (await send('POST', `${id}/track`, { events: [{ ...named, name: 'e', time: ago(0) }] })).status,
          400,
        )
      }
      for (const body of [{}, { attributes: [] }, { events: {} }, { events: ['e'] }]) {
        assert.equal((await send('POST', `${id}/track`, body)).status, 400, JSON.stringify(body))
      }
      const events = (count: number) => ({ events: many(count, () => ({ name: 'e', time: ago(0) })) })
      assert.equal((await send('POST', `${id}/track`, events(batchMax))).status, 201)
      assert.equal((await send('POST', `${id}/track`, events(batchMax + 1))).status, 400)
    })

    test('a merged person leads to the kept one, a deleted and an unknown one are not found', async () => {
      const [kept, gone] = [await made({ plan: 'gold' }), await made()]
      await people.merge({ external_id: gone.external_id }, { external_id: kept.external_id })
      await ok('POST', `${gone.id}/track`, { attributes: { note: 'after' } })
      assert.deepEqual(await people.custom(kept.external_id), { plan: 'gold', note: 'after' })
      await ok('DELETE', kept.id)
      for (const id of [kept.id, gone.id, 'nobody', '0'.repeat(24)]) {
        assert.equal((await send('POST', `${id}/track`, { attributes: { note: 'x' } })).status, 404, id)
        assert.equal((await send('DELETE', id)).status, 404, id)
        assert.equal((await send('POST', 'merge', { keep: id, merge: id })).status, 404, id)
      }
    })

    test('a merge is planned by field, then carried out, and recorded once', async () => {
      const [email, other] = [newEmail(), newEmail()]
      const keep = await made({ first_name: 'Ada', email, plan: 'gold', visits: 3 })
      const merge = await made({ first_name: 'Augusta', last_name: 'Lovelace', email: other, visits: 5, note: 'old' })
      const plan = await ok('POST', 'merge?plan=true', { keep: keep.id, merge: merge.id })
      assert.equal(plan.state, 'planned')
      assert.deepEqual([plan.keep.external_id, plan.merge.external_id], [keep.external_id, merge.external_id])
      const from = Object.fromEntries(plan.fields.map((field: Any) => [field.field, [field.from, field.value]]))
      assert.deepEqual(from.first_name, ['keep', 'Ada'])
      assert.deepEqual(from.last_name, ['merge', 'Lovelace'])
      assert.deepEqual(from.email, ['keep', email])
      assert.deepEqual(from['custom_attributes.visits'], ['keep', 3])
      assert.deepEqual(from['custom_attributes.note'], ['merge', 'old'])
      assert.ok(
        plan.notes.some((note: string) => note.includes(merge.external_id)),
        JSON.stringify(plan.notes),
      )
      assert.ok(await idOf(merge.external_id), 'a plan changes nothing')
      const done = await ok('POST', 'merge', { keep: keep.id, merge: merge.id })
      assert.equal(done.state, 'done')
      assert.deepEqual(done.fields, plan.fields)
      assert.deepEqual(await people.custom(keep.external_id), { plan: 'gold', visits: 3, note: 'old' })
      assert.equal((await ok('GET', merge.id)).merged_from, merge.id)
      const row = await auditOf('person.merge')
      assert.match(row.after.merged, /^[0-9a-f]{32}$/)
      assert.notEqual(row.after.merged, row.target.id)
      const again = await send('POST', 'merge', { keep: keep.id, merge: merge.id })
      assert.deepEqual([again.status, again.body.message], [409, 'Both ids are of one person: the two were merged'])
      assert.equal((await send('POST', 'merge', { keep: keep.id })).status, 400)
      assert.equal((await send('POST', 'merge?plan=maybe', { keep: keep.id, merge: keep.id })).status, 400)
    })

    test('a deletion is done when it is answered, and its audit row names nobody', async () => {
      const { external_id, id } = await made({ email: newEmail() })
      assert.deepEqual(await ok('DELETE', id), { state: 'done', outcome: 'done', message: 'success' })
      assert.equal((await send('GET', id)).status, 404)
      const row = await auditOf('person.delete')
      assert.deepEqual([row.before, row.after, row.target.kind], [null, null, 'person'])
      for (const secret of [id, external_id]) assert.ok(!JSON.stringify(row).includes(secret))
    })

    test('each change takes its ability, with permission to see personal data', async () => {
      const { id } = await made()
      const other = await made()
      const asAccount = async (...appGroupPermissions: string[]) =>
        signIn(
          people.service,
          people.db,
          await makeAccount(people.db, { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }),
        )
      const blind = await asAccount('edit_user_data', 'merge_duplicate_users')
      const reader = await asAccount('view_user_profile', 'view_pii')
      const editor = await asAccount('edit_user_data', 'view_pii')
      const merger = await asAccount('merge_duplicate_users', 'view_pii')
      const writes = [
        [editor, 'POST', `/admin/people/${id}/track`, { attributes: { plan: 'x' } }, 'people.edit'],
        [merger, 'POST', '/admin/people/merge', { keep: id, merge: other.id }, 'people.merge'],
        [undefined, 'DELETE', `/admin/people/${id}`, undefined, 'people.end'],
      ] as const
      for (const [may, method, path, body, ability] of writes) {
        for (const one of [blind, reader, editor, merger].filter((each) => each !== may)) {
          const { status, body: answer } = await one.send(method, path, body)
          assert.deepEqual(
            [status, answer.message],
            [403, `You do not have permission to do this: it takes ${ability}`],
          )
        }
        if (may) assert.ok((await may.send(method, path, body)).status < 300, path)
      }
      const admin = await asAccount('admin')
      assert.equal((await admin.send('DELETE', `/admin/people/${id}`)).status, 202)
      const rows = await people.db.query<{ actor_kind: string }>(sql`
        select actor_kind from audit where action = 'person.delete' order by audit_id desc limit 1`)
      assert.equal(rows[0]!.actor_kind, 'account')
    })
  })
}
