import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import { assertRefused, enterpriseSchema, patchOf, provisioningOf, sampleUser, users } from '../support/scim-service.ts'

const ofProvider = (department: unknown): Item => ({ department: undefined, [enterpriseSchema]: { department } })
const patching = (department: unknown) =>
  patchOf([{ op: 'Replace', path: `${enterpriseSchema}:department`, value: department }])

for (const database of drawDatabases('scim-departments')) {
  describe(`departments of providers (${database})`, () => {
    const scim = provisioningOf(database)
    const settings = (given: Item) => scim.service.admin('PATCH', '/admin/settings', given)

    test('one that the settings do not have is kept, and answered where it was sent', async () => {
      const { path, body } = await scim.make(ofProvider('Legal & Risk'))
      assert.deepEqual([body.department, body[enterpriseSchema]], ['Legal & Risk', { department: 'Legal & Risk' }])
      const { body: read } = await scim.get(path)
      assert.deepEqual([read.department, read[enterpriseSchema]], ['Legal & Risk', undefined])
      const { body: patched } = await scim.done('PATCH', path, patching('Kitchen'))
      assert.deepEqual([patched.department, patched[enterpriseSchema]], ['Kitchen', { department: 'Kitchen' }])
      // What was answered can be sent back, and an answer that leaves the schema out has none of it.
      const { body: same } = await scim.done('PUT', path, { ...patched, userName: undefined })
      assert.deepEqual(same, patched)
      const { body: short } = await scim.done('PATCH', `${path}?attributes=userName`, patching('Garden'))
      assert.deepEqual(Object.keys(short).sort(), ['id', 'schemas', 'userName'])
      assert.deepEqual(await scim.found('department eq "garden"'), [body.userName])
    })

    test('one that is known is spelled as in the settings; one that is no text refuses nobody', async () => {
      const { path, body } = await scim.make(ofProvider('FINANCE'))
      assert.equal(body.department, 'finance')
      for (const department of [7, { name: 'x' }, ['a'], 'x'.repeat(1025), '\ud800']) {
        const { body: after } = await scim.done('PATCH', path, patching(department))
        assert.equal(after.department, 'finance', JSON.stringify(department))
      }
      const removal = patchOf([{ op: 'Remove', path: `${enterpriseSchema}:department` }])
      assert.equal((await scim.done('PATCH', path, removal)).body.department, undefined)
    })

    test('the core department stays strict', async () => {
      assertRefused(await scim.send('POST', users, sampleUser({ department: 'Kitchen' })), 400, 'invalidValue')
      const { path } = await scim.make()
      const both = { op: 'replace', value: { department: 'Kitchen', [enterpriseSchema]: { department: 'Garden' } } }
      assertRefused(await scim.patch(path, [both]), 400, 'invalidValue', /^department must be one of/)
    })

    test('the settings choose the default department or a refusal instead', async () => {
      await settings({ scim: { unknown_departments: 'default' } })
      const { path, body } = await scim.make(ofProvider('Kitchen'))
      assert.equal(body.department, undefined)
      await settings({ default_department: 'bi' })
      assert.equal((await scim.make(ofProvider('Kitchen'))).body.department, 'bi')
      assert.equal((await scim.done('PATCH', path, patching('Kitchen'))).body.department, 'bi')
      await settings({ scim: { unknown_departments: 'refuse' } })
      assertRefused(await scim.send('POST', users, sampleUser(ofProvider('Kitchen'))), 400, 'invalidValue')
      assertRefused(await scim.send('PATCH', path, patching('Kitchen')), 400, 'invalidValue')
      assert.equal((await scim.done('PATCH', path, patching('PM'))).body.department, 'pm')
      await scim.service.admin('DELETE', '/admin/settings/scim')
      await scim.service.admin('DELETE', '/admin/settings/default_department')
    })

    test('a person without a surname is stored without one, where a provider says so', async () => {
      const { path, body } = await scim.make({ name: { givenName: 'Sukarno' }, externalId: 'x7' })
      assert.deepEqual(body.name, { givenName: 'Sukarno', familyName: '' })
      const named = await scim.done('PATCH', path, patchOf([{ op: 'Add', path: 'name.familyName', value: 'S.' }]))
      assert.deepEqual(named.body.name, { givenName: 'Sukarno', familyName: 'S.' })
      const removed = await scim.done('PATCH', path, patchOf([{ op: 'Remove', path: 'name.familyName' }]))
      assert.deepEqual(removed.body.name, body.name)
      assertRefused(await scim.send('POST', users, sampleUser({ name: { givenName: 'Sukarno' } })), 400, 'invalidValue')
    })
  })
}
