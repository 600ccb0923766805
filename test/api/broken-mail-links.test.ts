import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/harness.ts'

const paths = ['/u', '/preferences', '/l'].map((folder) => `${folder}/${'0'.repeat(52)}${folder === '/l' ? '/1' : ''}`)

test('the page of a broken link has the name of the workspace, unless there are several', async () => {
  await using service = await startService({ workspace: { workspace: { id: 'default', name: 'Tea <House>' } } })
  for (const path of paths) {
    const { status, text } = await service.get(path, { key: null })
    assert.equal(status, 404)
    assert.match(text, /<h1>This link does not work<\/h1>/)
    assert.ok(text.includes('<p class="from" dir="auto">Tea &#60;House&#62;</p>'), text)
    assert.ok(text.includes('<title>This link does not work · Tea &#60;House&#62;</title>'))
  }
  await service.admin('POST', '/admin/apply', { workspace: { id: 'second', name: 'Coffee' } })
  for (const path of paths) {
    await eventually('no name is shown', async () => {
      const { text } = await service.get(path, { key: null })
      return !text.includes('Tea') && !text.includes('Coffee')
    })
  }
})
