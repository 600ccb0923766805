import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { erasedRowsMax } from '../../src/workspace/audit/erase-marked.ts'
import { makeAccount } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Item, newAlias, newEmail, newId, newPhone, only, People, workspace } from '../support/people.ts'

const hash = /^deleted:[0-9a-f]{32}$/

for (const database of drawDatabases('users-delete-audit')) {
  describe(`the audit of configuration that names a deleted person (${database})`, () => {
    const people = new People()
    let db: Db
    before(() =>
      people.start({
        database,
        workspace,
        opened: (opened) => {
          db = opened
        },
      }),
    )
    after(() => people.stop())

    const standard = (name: string, value: unknown) => {
      return { standard_attribute: { name, comparison: 'equals', value } }
    }
    /** Creates and deletes a segment. Returns the id of its audit row. */
    const segmentOf = (name: string, ...leaves: readonly Item[]) => ({ id: name, name, audience: { OR: leaves } })
    const record = async (name: string, ...leaves: readonly Item[]): Promise<string> => {
      const { body } = await people.service.admin('POST', '/admin/segments', segmentOf(name, ...leaves))
      await people.service.admin('DELETE', `/admin/segments/${body.segment.id}`)
      return body.segment.id
    }
    const recorded = async (id: string): Promise<{ name: string; values: unknown[] }[]> => {
      const { body } = await people.service.admin('GET', `/admin/audit?target=segment:${id}`)
      return body.audit.map(({ before: was, after: is }: { before: Item | null; after: Item | null }) => {
        const { name, audience } = (was ?? is) as {
          name: string
          audience: { OR: Record<string, { value: unknown }>[] }
        }
        return { name, values: audience.OR.map((leaf) => Object.values(leaf)[0]!.value) }
      })
    }
    const remove = async (external_id: string) => {
      assert.equal(only(await people.delete({ external_ids: [external_id] })).outcome, 'done')
    }

    test('its identifiers become keyed hashes, wherever they are compared with people', async () => {
      const [external_id, email, phone, alias] = [newId(), newEmail(), newPhone(), newAlias()]
      const other = { external_id: newId(), email: newEmail() }
      await people.set({ external_id, email, phone }, other)
      await people.send('/users/alias/new', { user_aliases: [{ external_id, ...alias }] })
      const id = await record(
        external_id,
        standard('external_id', external_id),
        standard('email', email.toUpperCase()),
        standard('phone', phone),
        { custom_attribute: { custom_attribute_name: 'friend', comparison: 'equals', value: alias.alias_name } },
        standard('email', other.email),
        standard('external_id', other.external_id),
      )
      const values = [external_id, email.toUpperCase(), phone, alias.alias_name, other.email, other.external_id]
      assert.deepEqual(await recorded(id), [
        { name: external_id, values },
        { name: external_id, values },
      ])
      for (const ids of [[external_id, 'qa'], ['qa']]) {
        await people.service.admin('PATCH', '/admin/settings', { reserved_external_ids: ids })
      }
      await remove(external_id)

      const [deleted, created] = await recorded(id)
      assert.deepEqual(deleted, created)
      assert.equal(created!.name, external_id, 'a name is no list of people')
      assert.ok(
        created!.values.slice(0, 4).every((value) => hash.test(String(value))),
        JSON.stringify(created),
      )
      assert.equal(new Set(created!.values).size, values.length)
      assert.deepEqual(created!.values.slice(4), values.slice(4))
      const { body } = await people.service.admin('GET', '/admin/audit?target=setting:reserved_external_ids')
      const [second, first] = body.audit.map(({ before: was, after: is }: Record<'before' | 'after', Item>) => [
        was,
        is,
      ])
      const listed = JSON.stringify([second, first])
      assert.ok(
        listed.includes('"qa"') && !listed.includes(external_id) && listed.includes(String(created!.values[0])),
        listed,
      )
      const texts = await db.query(
        sql`select 1 from audit_text where is_erased or text in (${external_id}, ${email}, ${phone})`,
      )
      assert.deepEqual(texts, [])
    })

    test('what names another person, an account or a person of another workspace stays', async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email }, { external_id: newId(), email })
      const { account_id } = await makeAccount(db, {}, { user_name: email, emails: [{ value: email }] })
      await people.service.admin('POST', '/admin/apply', { workspace: { id: 'shop', name: 'Shop' } })
      const elsewhere = segmentOf('elsewhere', standard('external_id', external_id))
      await people.service.admin('POST', '/admin/segments?workspace=shop', elsewhere)
      const id = await record('Both', standard('email', email), standard('external_id', external_id))
      await remove(external_id)
      const [{ values } = assert.fail()] = await recorded(id)
      assert.deepEqual([values[0], hash.test(String(values[1]))], [email, true], 'the other person has the address')
      const target = (text: string) => people.service.admin('GET', `/admin/audit?target=${text}`)
      assert.ok(JSON.stringify((await target(`account:${account_id}`)).body).includes(email))
      assert.ok(JSON.stringify((await target('segment:elsewhere')).body).includes(external_id))
    })

    test('more rows than one transaction changes are changed too', async () => {
      const external_id = newId()
      await people.set({ external_id })
      for (let n = 0; n <= erasedRowsMax; n++) {
        const reserved_external_ids = n % 2 === 0 ? [external_id] : []
        await people.service.admin('PATCH', '/admin/settings', { reserved_external_ids })
      }
      const mentions = () => db.query(sql`select 1 from audit where (before, after)::text like ${`%${external_id}%`}`)
      assert.equal((await mentions()).length, erasedRowsMax + 1)
      await remove(external_id)
      assert.deepEqual(await mentions(), [])
    })
  })
}
