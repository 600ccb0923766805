import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/base/db/sql.ts'
import { filesIn } from '../support/exports.ts'
import { many } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const { at } = dashboard
let page: Page

const segmentOf = (id: string, value: string) => ({
  ...{ id, name: id[0]!.toUpperCase() + id.slice(1) },
  audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value } },
})

before(async () => {
  await dashboard.open({
    env: { EASEL_CLOCK: 'virtual' },
    workspace: { segments: [segmentOf('gold', 'gold'), segmentOf('silver', 'silver')] },
  })
  page = dashboard.page
  await dashboard.signIn()
  const people = many(7, (i) => ({ external_id: `g${i}`, first_name: `Gold ${i}`, plan: 'gold', size: i }))
  const others = ['one', 'two'].map((id) => ({ external_id: id, first_name: 'Twin', email: 'twin@example.com' }))
  const { status, text } = await at.service.post('/users/track', { attributes: [...people, ...others] })
  assert.equal(status, 201, text)
})
after(() => dashboard.close())

const card = (name: string) => page.getByRole('region', { name })
const chart = () => page.getByRole('figure', { name: 'Size by day' })

test('the sizes of the last days are a chart for the eye, the arrow keys and as a table', async () => {
  const day = async (time: string, size: number) =>
    at.db.query(sql`
      insert into segment_size (workspace_id, segment_id, day, size)
      select workspace_id, 'gold', ${time}::date, ${size}::int from workspace where id = 'default'
      on conflict (workspace_id, segment_id, day) do update set size = excluded.size`)
  const { now } = (await at.service.admin('GET', '/admin/clock')).body
  const before = (days: number) => new Date(Date.parse(now) - days * 86_400_000).toISOString().slice(0, 10)
  await day(before(2), 41_200)
  await day(before(1), 5)
  // The service counts once a day, perhaps before anybody was in the segment.
  await day(before(0), 7)
  await dashboard.visit('segments/gold')
  await page.getByText('People are in this segment when: `plan` is `gold`.').waitFor()
  // The last day is written below the chart, because sizes have no sum.
  await chart().getByText('people 7').waitFor()
  await chart().focus()
  await page.keyboard.press('Home')
  await chart().getByText('people 41,200').waitFor()
  await page.keyboard.press('ArrowRight')
  await chart().getByText('people 5', { exact: true }).waitFor()
  await dashboard.shot('segment-chart')
  await page.keyboard.press('t')
  const table = page.getByRole('table', { name: 'Size by day' })
  assert.match(await table.innerText(), /7\s[\s\S]*5\s[\s\S]*41,200/)
  await page.keyboard.press('t')
  await table.waitFor({ state: 'detached' })
  assert.deepEqual(dashboard.complaints, [])
})

test('the page says why one person is in it, or not', async () => {
  await dashboard.visit('segments/gold')
  const why = card('Why is a person in it, or not?')
  const ask = async (identifier: string) => {
    await why.getByLabel('Person').fill(identifier)
    await why.getByRole('button', { name: 'Explain' }).click()
  }
  assert.equal(await why.getByRole('button', { name: 'Explain' }).getAttribute('aria-disabled'), 'true')
  await ask('g3')
  await why.getByText(/The person is in the segment "Gold"/).waitFor()
  await why.getByText(/The person has: /).waitFor()
  await dashboard.shot('segment-why')
  await ask('twin@example.com')
  await why.getByText('Several people have this identifier. Choose one.').waitFor()
  await why.getByRole('button', { name: 'Twin (two)' }).click()
  await why.getByText(/The person is not in the segment "Gold"/).waitFor()
  await ask('stranger')
  await why.getByText('Nobody has this identifier.').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the people of a segment are exported, and the file is downloaded', async () => {
  await dashboard.visit('segments/gold')
  const exports = card('Exports')
  await exports.getByText('There is no file with the people of this segment now.').waitFor()
  await exports.getByRole('button', { name: 'Export the people' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('email', { exact: true }).uncheck()
  await dialog.getByLabel('Custom attributes').fill('size, plan')
  await dialog.getByLabel('Format').selectOption('gzip')
  await dashboard.shot('segment-export-dialog')
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  await exports.getByText('finished').waitFor()
  await dashboard.shot('segment-exported')
  const downloading = page.waitForEvent('download')
  await exports.getByRole('link', { name: /^Download gzip/ }).click()
  const download = await downloading
  assert.match(download.suggestedFilename(), /\.gz$/)
  const { all = [] } = filesIn(await readFile(await download.path()), 'gzip')
  assert.equal(all.length, 7)
  const one = all.find(({ external_id }) => external_id === 'g2')!
  assert.deepEqual(one, { external_id: 'g2', first_name: 'Gold 2', custom_attributes: { plan: 'gold', size: 2 } })
  assert.deepEqual(dashboard.complaints, [])
})

test('an export shows how far it is, and why it failed', async () => {
  const path = '**/admin/exports?*'
  const entry = (await at.service.admin('GET', '/admin/exports?segment_id=gold')).body.exports[0]
  let state: object = { state: 'running', people: 1_200, people_in_all: 5_000, path: null }
  await page.route(path, async (route) => {
    const json = await (await route.fetch()).json()
    await route.fulfill({ json: { ...json, exports: [{ ...entry, ...state }] } })
  })
  await dashboard.visit('segments/gold')
  const exports = card('Exports')
  await exports.getByText('writing: 1,200 of ~5,000').waitFor()
  const button = exports.getByRole('button', { name: 'Export the people' })
  assert.match(String(await button.getAttribute('title')), /is being written/)
  state = { state: 'failed', failure: 'the disk is full', path: null }
  await exports.getByText('failed: the disk is full').waitFor()
  assert.equal(await button.getAttribute('aria-disabled'), null)
  await page.unroute(path)
})

test('a failing part does not take the others with it, and can be tried again', async () => {
  await dashboard.answerWith('**/admin/segments/silver/sizes*', [{ status: 500, message: 'Internal error' }])
  await dashboard.visit('segments/silver')
  await card('Size by day').getByText('Internal error').waitFor()
  await card('Exports').getByText('There is no file').waitFor()
  await card('Size by day').getByRole('button', { name: 'Try again' }).click()
  await chart().getByText('people 0').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByText('Nobody is in it now.').waitFor()
  dashboard.complaints.length = 0
})

test('the pages are accessible', async () => {
  await dashboard.checkAccess([
    ['segments-list', 'segments', 'Times:'],
    ['segment-full', 'segments/gold', 'Download gzip'],
    ['segment-empty', 'segments/silver', 'Nobody is in it now.'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('who may not export or see people finds buttons that say why', async () => {
  const workspaces = [{ id: 'default', permissions: ['view_segments'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('segments/gold')
  const reasonOf = async (name: string) => String(await page.getByRole('button', { name }).getAttribute('title'))
  await chart().getByText('people 7').waitFor()
  assert.match(await reasonOf('Export the people'), /people\.export/)
  assert.match(await reasonOf('Explain'), /people\.read/)
  assert.equal(await card('Some of the people in it').count(), 0)
  assert.deepEqual(dashboard.complaints, [])
})
