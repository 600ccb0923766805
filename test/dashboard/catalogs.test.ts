import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { many } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

const fields = [
  { name: 'id', type: 'string' },
  { name: 'name', type: 'string' },
  { name: 'price', type: 'number' },
  { name: 'tags', type: 'array' },
]

const admin = async (method: string, path: string, body?: unknown) => {
  const { status, text, body: answer } = await dashboard.at.service.admin(method, `/admin/catalogs${path}`, body)
  assert.ok(status < 300, text)
  return answer
}
const makeCatalog = (id: string) => admin('POST', '', { id, name: id, fields })
const createItems = async (catalog: string, items: readonly { id: string; fields?: object }[]) =>
  admin('PATCH', `/${catalog}/items`, { items: items.map((item) => ({ ...item, action: 'create' })) })
const itemsOf = async (
  catalog: string,
): Promise<readonly { id: string; tag: string; fields: Record<string, unknown> }[]> =>
  (await admin('GET', `/${catalog}/items`)).items

before(async () => {
  await dashboard.open()
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

/** The browser also complains about each answer that is a refusal; those are a part of what is tested. */
const assertNoComplaints = () => {
  const complaints = dashboard.complaints.splice(0)
  assert.deepEqual(
    complaints.filter((text) => !text.startsWith('Failed to load resource')),
    [],
  )
}

const grid = (): Locator => page.getByRole('grid', { name: 'Items' })
const cell = (row: number, column: number): Locator => page.locator(`[data-cell="${row} ${column}"]`)
const dialog = (): Locator => page.getByRole('dialog')
const chooseFile = (csv: string | Buffer, name = 'shoes.csv') =>
  dialog()
    .getByLabel('CSV file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) })

test('a catalog is made with its fields, and items are added and deleted', async () => {
  await dashboard.visit('catalogs')
  await page.getByRole('heading', { name: 'There are no catalogs' }).waitFor()
  await page.getByRole('button', { name: 'New catalog' }).first().click()
  await dialog().getByLabel('Name', { exact: true }).fill('a b')
  await dialog().getByLabel('Description').fill('What we sell')
  await dialog().getByLabel('Name of field 1').fill('price')
  await dialog().getByLabel('Type of field 1').selectOption('number')
  await dialog().getByRole('button', { name: 'Add a field' }).click()
  await dialog().getByLabel('Name of field 2').fill('name')
  await dialog().getByRole('button', { name: 'Make the catalog' }).click()
  await dialog().getByRole('alert').waitFor()
  await dashboard.shot('catalog-new-refused')
  await dialog().getByLabel('Name', { exact: true }).fill('shoes')
  await dialog().getByRole('button', { name: 'Make the catalog' }).click()
  await page.getByRole('heading', { name: 'There are no items' }).waitFor()
  assert.equal(await dashboard.heading, 'shoes')
  await dashboard.shot('catalog-empty')
  await page.getByRole('button', { name: 'New item' }).click()
  await dialog().getByLabel('Id').fill('boot one')
  await dialog().getByRole('button', { name: 'Add' }).click()
  await dialog().getByText('Item ids can only contain letters, numbers, hyphens, and underscores').waitFor()
  await dialog().getByLabel('Id').fill('boot-1')
  await dialog().getByRole('button', { name: 'Add' }).click()
  await grid().getByText('boot-1', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete the item boot-1' }).click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No id begins with "boot-1"' }).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('heading', { name: 'There are no items' }).waitFor()
  assertNoComplaints()
})

test('cells are edited with keys, wait for the server, and show what it refuses', async () => {
  await makeCatalog('boots')
  await createItems('boots', [
    { id: 'a', fields: { name: 'Alpha', price: 1.5 } },
    { id: 'b', fields: { name: 'Beta', tags: ['x'] } },
  ])
  await dashboard.visit('catalogs/boots')
  await cell(0, 0).focus()
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
  const price = page.getByLabel('price of a')
  await price.fill('dear')
  await page.keyboard.press('Enter')
  await grid().getByText("'price' must be a number, such as 1.5").waitFor()
  await dashboard.shot('catalog-cell-refused')
  await price.fill('2.5')
  await page.keyboard.press('Enter')
  await cell(0, 2).getByText('2.5').waitFor()
  await page.locator('[data-cell="1 2"]:focus').waitFor()
  await page.keyboard.press('F2')
  await page.getByLabel('price of b').fill('7')
  await page.keyboard.press('Tab')
  await cell(1, 2).getByText('7').waitFor()
  await page.locator('[data-cell="1 3"]:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.getByLabel('tags of b').fill('["y", "z"]')
  await page.keyboard.press('Escape')
  await cell(1, 3).getByText('["x"]').waitFor()
  await cell(1, 1).dblclick()
  await page.getByLabel('name of b').fill('')
  await page.keyboard.press('Enter')
  await cell(1, 1).waitFor()
  assert.deepEqual(
    (await itemsOf('boots')).map((item) => item.fields),
    [
      { name: 'Alpha', price: 2.5, tags: null },
      { name: null, price: 7, tags: ['x'] },
    ],
  )
  assertNoComplaints()
})

test('a cell that somebody else has changed is not overwritten, and says what is there now', async () => {
  await dashboard.visit('catalogs/boots')
  await cell(0, 1).dblclick()
  const [item] = await itemsOf('boots')
  await admin('PATCH', '/boots/items', {
    items: [{ id: 'a', action: 'update', tag: item!.tag, fields: { name: 'Other' } }],
  })
  const name = page.getByLabel('name of a')
  await name.fill('Mine')
  await page.keyboard.press('Enter')
  await grid()
    .getByText(/The item a has changed since you read it.* It is now: Other/)
    .waitFor()
  await dashboard.shot('catalog-cell-changed')
  assert.equal((await itemsOf('boots'))[0]!.fields.name, 'Other')
  await page.keyboard.press('Enter')
  await cell(0, 1).getByText('Mine').waitFor()
  assertNoComplaints()
})

test('a catalog is imported from CSV with two bad lines, which are named, mended and imported', async () => {
  await dashboard.visit('catalogs')
  await page.getByRole('button', { name: 'New catalog' }).click()
  await dialog().getByLabel('Name', { exact: true }).fill('hats')
  await dialog().getByLabel('Fill it from a CSV file').check()
  await dialog().getByRole('button', { name: 'Make it, then choose a file' }).click()
  await dialog().getByRole('heading', { name: 'Import into hats' }).waitFor()
  const good = ['cap;12.5;"Cap;\nwith two lines"', 'fez;8;Fez']
  const lines = (bad: readonly string[]) => ['\ufeffid;price;title', ...good, ...bad].join('\r\n')
  await chooseFile(lines(['top hat;99;Top hat', 'beret;cheap;Beret']))
  await dialog().getByLabel('Type of price').selectOption('number')
  await dashboard.shot('catalog-import-columns')
  await dialog().getByRole('button', { name: 'Plan the import' }).click()
  await dialog().getByText('The plan: 2 made, 0 replaced, 2 refused.').waitFor()
  await dialog().getByText('The columns of the file are separated by semicolons.').waitFor()
  const refused = await dialog().getByRole('listitem').allInnerTexts()
  assert.deepEqual(refused, [
    'Line 5: Item ids can only contain letters, numbers, hyphens, and underscores',
    'Line 6: \'price\' must be a number, such as 1.5; the line has "cheap"',
  ])
  await dashboard.shot('catalog-import-plan')
  assert.equal((await itemsOf('hats').catch(() => [])).length, 0)
  await chooseFile(lines(['top-hat;99;Top hat', 'beret;3;Beret']))
  await dialog().getByLabel('Type of price').selectOption('number')
  await dialog().getByRole('button', { name: 'Plan the import' }).click()
  await dialog().getByText('The plan: 4 made, 0 replaced, 0 refused.').waitFor()
  await dialog().getByRole('button', { name: 'Import 4 items' }).click()
  await dialog().getByText('Imported: 4 made, 0 replaced, 0 refused.').waitFor()
  await dashboard.shot('catalog-import-done')
  await dialog().getByRole('button', { name: 'Close' }).click()
  await grid().getByText('top-hat').waitFor()
  assert.equal(await grid().getByRole('row').count(), 5)
  await dashboard.shot('catalog')
  assertNoComplaints()
})

test('line breaks and long numbers survive an edit of their cell', async () => {
  const body =
    '{"items":[{"id":"long","action":"create","fields":{"name":"two\\nlines","price":12345678901234567890}}]}'
  await dashboard.at.service.send('PATCH', '/admin/catalogs/boots/items', body, {
    key: dashboard.at.service.adminToken,
  })
  await dashboard.visit('catalogs/boots?prefix=long')
  await cell(0, 2).getByText('12345678901234567890', { exact: true }).waitFor()
  await cell(0, 1).dblclick()
  const name = page.getByLabel('name of long')
  assert.equal(await name.inputValue(), 'two\nlines')
  await name.press('End')
  await name.press('Shift+Enter')
  await name.pressSequentially('more')
  await name.press('Tab')
  await cell(0, 1).getByText('more').waitFor()
  const { text } = await dashboard.at.service.admin('GET', '/admin/catalogs/boots/items?prefix=long')
  assert.match(text, /"name":"two\\nlines\\nmore","price":12345678901234567890/)
  assertNoComplaints()
})

test('a file of several parts is imported with duplicates across them named, and a text that is not UTF-8 is not', async () => {
  await makeCatalog('many')
  await dashboard.visit('catalogs/many?import=csv')
  const line = (id: string) => `${id},"${'long, '.repeat(30)}",1,`
  const lines = many(9_000, (i) => line(`i-${i}`))
  await chooseFile(['id,name,price,tags', ...lines, line('i-7')].join('\n'))
  await dialog().getByText('The plan: 9,000 made, 0 replaced, 1 refused.').waitFor()
  await dialog().getByText("Line 9,002: The id 'i-7' is on line 9 already").waitFor()
  await dialog().getByRole('button', { name: 'Import 9,000 items' }).click()
  await dialog().getByText('Imported: 9,000 made, 0 replaced, 1 refused.').waitFor()
  assert.equal((await admin('GET', '/many/items')).num_items, 9_000)
  await chooseFile(Buffer.from([...Buffer.from('id,name\na,'), 0xe9, 0x0a]))
  await dialog().getByText('This file is not in UTF-8').waitFor()
  await chooseFile('price,name\n1,x\n')
  await dialog().getByText("Line 1: The header has no column 'id'").waitFor()
  await chooseFile('')
  await dialog().getByText('The columns of the file are separated by commas.').waitFor()
  await dialog().getByText("Line 1: The header has no column 'id'").waitFor()
  assert.equal(await dialog().getByRole('button', { name: 'Import 0 items' }).getAttribute('aria-disabled'), 'true')
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL(/cursor=/)
  await page.getByLabel('Beginning of the id').fill('i-899')
  await page.keyboard.press('Enter')
  await grid().getByText('i-8999', { exact: true }).waitFor()
  assert.equal(await grid().getByRole('row').count(), 12)
  assertNoComplaints()
})

test('an import that fails says how far it came', async () => {
  await makeCatalog('broken')
  await dashboard.visit('catalogs/broken?import=csv')
  await chooseFile('id,price\na,1\n')
  await dialog().getByText('The plan: 1 made').waitFor()
  await dashboard.answerWith('**/admin/catalogs/broken/import*', [{ status: 500, message: 'Internal error' }])
  await dialog().getByRole('button', { name: 'Import 1 item' }).click()
  await dialog().getByText('Internal error').waitFor()
  await chooseFile('id,price\na,1\n')
  await dialog().getByRole('button', { name: 'Import 1 item' }).click()
  await dialog().getByText('Imported: 1 made').waitFor()
  assertNoComplaints()
})

test('fields and selections are added and removed', async () => {
  await dashboard.visit('catalogs/boots')
  await page.getByRole('button', { name: 'Add a field' }).click()
  await dialog().getByLabel('Name').fill('colour')
  await dialog().getByRole('button', { name: 'Add', exact: true }).click()
  await grid().getByRole('columnheader', { name: 'colour' }).waitFor()
  await page.getByRole('button', { name: 'Add a selection' }).click()
  await dialog().getByLabel('Name').fill('dear')
  await dialog().getByLabel('Description').fill('What costs much')
  await dialog().getByRole('button', { name: 'Add a filter' }).click()
  await dialog().getByLabel('Field').selectOption('price')
  await dialog().getByLabel('Comparison').selectOption('greater than')
  await dialog().getByLabel('Value').fill('5')
  await dashboard.shot('catalog-new-selection')
  await dialog().getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('price greater than 5; the first 50 by id').waitFor()
  await page.getByText('What costs much').waitFor()
  await page.getByRole('button', { name: 'Remove the field price' }).click()
  await dialog().getByRole('button', { name: 'Remove' }).click()
  await dialog().getByText('The selection dear uses the field; delete that first').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Remove the selection dear' }).click()
  await page.getByText('There are none. A selection is a stored query').waitFor()
  await page.getByRole('button', { name: 'Remove the field colour' }).click()
  await dialog().getByRole('button', { name: 'Remove' }).click()
  await grid().getByRole('columnheader', { name: 'colour' }).waitFor({ state: 'detached' })
  assertNoComplaints()
})

test('failing items can be tried again, and the pages are accessible', async () => {
  await dashboard.answerWith('**/admin/catalogs/boots/items*', [{ status: 500, message: 'Internal error' }])
  await dashboard.visit('catalogs/boots')
  await page.getByText('Internal error').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await cell(0, 0).waitFor()
  assertNoComplaints()
  await dashboard.checkAccess([
    ['catalogs', 'catalogs', 'Times:'],
    ['catalog', 'catalogs/boots', 'There are none. A selection'],
    ['catalog-import', 'catalogs/boots?import=csv', 'Nothing is written before'],
  ])
  assertNoComplaints()
})

test('a catalog is deleted after its name was typed', async () => {
  await dashboard.visit('catalogs/broken')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const remove = dialog().getByRole('button', { name: 'Delete' })
  assert.equal(await remove.getAttribute('aria-disabled'), 'true')
  await dialog().getByLabel('Type "broken" to confirm').fill('broken')
  const deleted = dashboard.said(/^The catalog broken was deleted\.$/)
  await remove.click()
  await deleted
  assertNoComplaints()
})

test('who may only read is told what editing takes', async () => {
  const workspaces = [{ id: 'default', permissions: ['view_catalogs'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('catalogs/boots')
  await cell(0, 1).dblclick()
  await page.getByText('It takes the permission catalogs.edit').waitFor()
  assert.equal(await page.getByLabel('name of a').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'New item' }).getAttribute('aria-disabled'), 'true')
  assertNoComplaints()
})
