import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { canvas, isPlan, message } from '../support/canvases.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { many, newEmail } from '../support/people.ts'
import { wide } from './browser.ts'
import { Dashboard, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

const admin = (method: 'POST' | 'PATCH', path: string, body: object) => dashboard.at.service.admin(method, path, body)

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
  const people = many(12, (i) => ({ external_id: `g${i}`, first_name: `Person ${i}`, email: newEmail(), plan: 'gold' }))
  await dashboard.at.service.post('/users/track', { attributes: people })
  const others = many(3, (i) => ({ external_id: `s${i}`, plan: 'silver', country: 'NL' }))
  await dashboard.at.service.post('/users/track', { attributes: others })
  await admin('POST', '/admin/segments', { id: 'staff', name: 'Staff', audience: isPlan('staff') })
})
after(() => dashboard.close())

const part = (place: string): Locator => page.getByRole('group', { name: `Part ${place}`, exact: true })
const own = (place: string, label: string): Locator => part(place).getByLabel(label, { exact: true }).first()
const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
/** Beside a number stands when it was counted, which may have the same digits. */
const size = (text: string | RegExp): Locator =>
  page.getByRole('region', { name: 'How many people' }).getByText(text, { exact: true })
const words = (text: string): Locator => page.getByText(`People are in this segment when: ${text}.`)
const save = async () => {
  const ready = button('Save').and(page.locator(':not([aria-disabled])'))
  await ready.click()
}

/** Opens a new segment, whatever was left in the tab. */
async function openNew(): Promise<void> {
  await dashboard.visit('segments')
  await page.evaluate('sessionStorage.clear()')
  await dashboard.visit('new-segment')
  await part('1').waitFor()
}

test('a nested segment is built, counted again after a track call, saved, and shown where it is used', async () => {
  await dashboard.visit('segments')
  await page.getByRole('link', { name: 'New segment' }).first().click()
  await words('last used the app less than 30 days ago').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Gold, not staff')
  await own('1', 'Kind of condition').selectOption('custom_attribute')
  await own('1', 'Attribute').fill('plan')
  await part('1')
    .getByText(/string; \d+\.\d% of people; such as gold/)
    .waitFor()
  await own('1', 'Value').fill('gold')
  await size('12').waitFor()
  await size(/counted one by one at/).waitFor()
  await button('Add a group').click()
  await own('2.1', 'Kind of condition').selectOption('segment')
  // It is a field for text until the segments are read.
  await own('2.1', 'Segment').and(page.locator('select')).selectOption({ label: 'Staff' })
  await button('Not part 2.1').click()
  await button('Add a condition to part 2').click()
  await own('2.2', 'Kind of condition').selectOption('custom_event')
  await own('2.2', 'Event').fill('order_placed')
  await words(
    '`plan` is `gold` and (is not in the segment `Staff` or performed `order_placed` at least once in the last 30 days)',
  ).waitFor()
  await part('2.2').getByText('0', { exact: true }).waitFor()
  await dashboard.shot('segment-builder')
  await dashboard.at.service.post('/users/track', { attributes: [{ external_id: 'g12', plan: 'gold' }] })
  await button('Count again').click()
  await size('13').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('heading', { level: 1, name: 'Gold, not staff' }).waitFor()
  const { segments } = (await dashboard.at.service.admin('GET', '/admin/segments')).body
  const stored = segments.find(({ name }: { name: string }) => name === 'Gold, not staff')
  assert.deepEqual(stored.audience, {
    AND: [
      { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } },
      {
        OR: [
          { NOT: { segment: { segment_id: 'staff' } } },
          { custom_event: { name: 'order_placed', comparison: 'greater_than_or_equal_to', value: 1, days: 30 } },
        ],
      },
    ],
  })
  await admin('POST', '/admin/canvases', canvas('Trial', [message('hello')], { segment: { segment_id: stored.id } }))
  await page.reload()
  await page.getByRole('link', { name: 'canvas Trial' }).waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: 'canvas Trial' }).waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a mistake lights its field, and steps are undone and done again', async () => {
  await openNew()
  await own('1', 'Days').fill('-3')
  const days = own('1', 'Days')
  await part('1').getByText('It must be an integer from 0 to 36500, not -3.').waitFor()
  assert.equal(await days.getAttribute('aria-invalid'), 'true')
  assert.equal(await button('Save').getAttribute('aria-disabled'), 'true')
  await size('The conditions have a mistake.')
    .or(size(/counted one by one/))
    .first()
    .waitFor()
  await dashboard.shot('segment-builder-mistake')
  await page.keyboard.press('Control+z')
  await words('last used the app less than 30 days ago').waitFor()
  assert.equal(await days.inputValue(), '30')
  await page.keyboard.press('Control+Shift+z')
  await part('1')
    .getByText(/It must be an integer from 0/)
    .waitFor()
  await button('Undo (Ctrl Z)').click()
  await button('Remove part 1').click()
  await page.getByText('It is empty; it must have at least one condition.').waitFor()
  await button('Undo (Ctrl Z)').click()
  await words('last used the app less than 30 days ago').waitFor()
  await page.getByLabel('Description', { exact: true }).fill('Who came back')
  await save()
  await page.getByText(/It (is missing; it )?must be one line of 1 to 255 characters/).waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
  dashboard.complaints.length = 0
})

test('a condition without a form is edited as JSON, and is not lost', async () => {
  await openNew()
  await page.getByText('The conditions as JSON').click()
  const json = page.getByLabel('Conditions', { exact: true })
  await json.fill('{"AND": [{"planet": {"is": "Mars"}}, {"custom_attribute":')
  await page.getByText('This is not JSON yet, so it changes nothing.').waitFor()
  await part('1').getByLabel('Kind of condition').waitFor()
  await json.fill(
    '{"AND": [{"planet": {"is": "Mars"}}, {"session_count": {"comparison": "greater_than", "value": 0}}]}',
  )
  await part('1')
    .getByText(/There is no form for it/)
    .waitFor()
  await part('1')
    .getByText(/It is not known here; known are AND, OR, NOT/)
    .waitFor()
  await own('2', 'Value').fill('4')
  assert.match(await own('1', 'A condition as JSON').inputValue(), /Mars/)
  assert.match(await json.inputValue(), /Mars[\s\S]*"value": 4/)
})

test('people of a sample and one person are shown, with what each condition found', async () => {
  await openNew()
  await own('1', 'Kind of condition').selectOption('custom_attribute')
  await own('1', 'Attribute').fill('plan')
  await own('1', 'Value').fill('gold')
  await words('`plan` is `gold`').waitFor()
  await button('Show ten').click()
  await page.getByRole('table', { name: 'Some of the people' }).locator('[data-row]').nth(9).waitFor()
  await button('Ten others').click()
  await page.getByRole('table', { name: 'Some of the people' }).locator('[data-row]').nth(9).waitFor()
  const one = page.getByRole('region', { name: 'One person' })
  await one.getByLabel(/External id/).fill('g1')
  await page.keyboard.press('Enter')
  await one.getByText('Person 1: in').waitFor()
  await one.getByText('The person has: "gold"').waitFor()
  await own('1', 'Value').fill('silver')
  await one.getByText('Person 1: not in').waitFor()
  await one.getByLabel(/External id/).fill('nobody-has-it')
  await page.keyboard.press('Enter')
  await one.getByText('Nobody has this identifier.').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a draft is kept in the tab, and the page asks before it is left', async () => {
  await openNew()
  await page.getByLabel('Name', { exact: true }).fill('Half done')
  await page.getByRole('link', { name: 'Segments', exact: true }).last().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Your changes are not saved.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half done')
  await page.getByRole('link', { name: 'Segments', exact: true }).last().click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor()
  await dashboard.visit('new-segment')
  await page.getByText('You made these changes earlier in this tab').waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half done')
  const undone = dashboard.undoes()
  await button('Discard').click()
  await undone
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half done')
  await button('Discard').click()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), '')
  assert.deepEqual(dashboard.complaints, [])
})

test('a segment that was changed meanwhile is not overwritten unasked', async () => {
  await admin('POST', '/admin/segments', { id: 'shared', name: 'Shared', audience: isPlan('gold') })
  await dashboard.visit('segments/shared/edit')
  await own('1', 'Value')
    .or(page.getByLabel('Value', { exact: true }))
    .first()
    .waitFor()
  await page.getByLabel('Value', { exact: true }).first().fill('silver')
  await words('`plan` is `silver`').waitFor()
  await admin('PATCH', '/admin/segments/shared', { name: 'Shared by all' })
  await save()
  const note = page.getByRole('alert').filter({ hasText: 'The segment was changed while you edited it' })
  await note.getByText(/By admin token, at/).waitFor()
  await note.getByText(/Stored now as "Shared by all": `plan` is `gold`\./).waitFor()
  await dashboard.shot('segment-builder-newer')
  await button('Keep my changes').click()
  await save()
  // The page of the segment, which is opened after the save. The editor has the same heading before.
  await page.waitForURL(/\/segments\/shared$/)
  await page.getByRole('heading', { level: 1, name: 'Shared by all' }).waitFor()
  const { segment } = (await dashboard.at.service.admin('GET', '/admin/segments/shared')).body
  assert.equal(segment.name, 'Shared by all')
  assert.deepEqual(segment.audience, isPlan('silver'))
  dashboard.complaints.length = 0
})

test('a segment that another one names is not deleted, and the server says why', async () => {
  const within = { segment: { segment_id: 'shared' } }
  await admin('POST', '/admin/segments', { id: 'within', name: 'Within', audience: within })
  await dashboard.visit('segments/shared')
  await button('Delete').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It is used by:').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('The segment is used by segment "Within": change or delete it first').waitFor()
  dashboard.complaints.length = 0
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dashboard.visit('segments/within')
  await button('Delete').click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor()
  const { segments } = (await dashboard.at.service.admin('GET', '/admin/segments')).body
  assert.ok(segments.every(({ id }: { id: string }) => id !== 'within'))
  assert.deepEqual(dashboard.complaints, [])
})

test('numbers with more digits than a browser keeps are saved as they were', async () => {
  const value = '{"custom_attribute_name":"n","comparison":"equals","value":1234567890123456789}'
  const audience = `{"AND":[{"custom_attribute":${value}}]}`
  const text = `{"id":"digits","name":"Digits","audience":${audience}}`
  await dashboard.at.service.admin('POST', '/admin/segments', text)
  await dashboard.visit('segments/digits/edit')
  assert.match(await own('1', 'A condition as JSON').inputValue(), /1234567890123456789/)
  await button('Add a condition').click()
  await own('2', 'Attribute').fill('plan')
  await words('`n` is 1234567890123456789 and `plan` is empty text').waitFor()
  await page.reload()
  await page.getByText('You made these changes earlier in this tab').waitFor()
  await own('2', 'Attribute').waitFor()
  await save()
  // The editor has the same words before.
  await page.waitForURL(/\/segments\/digits$/)
  await page.getByRole('link', { name: 'Edit' }).waitFor()
  await page.getByText('`n` is 1234567890123456789').first().waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('an estimate has its error, everybody is counted when asked, and a late answer changes nothing', async () => {
  const given = (count: number, error: number) => ({
    ...{ count, error, is_exact: error === 0, words: 'x', at: '2026-03-03T12:00:00.000Z', message: 'success' },
    parts: [{ path: 'audience', count, error }],
  })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/admin/audience/count*', async (route) => {
    const { exact, audience } = route.request().postDataJSON()
    // The page before may still ask about another audience.
    const value = audience.AND[0].last_used_app?.value
    if (value === 31) await held
    const json = exact ? given(41_377, 0) : value === 31 ? given(1, 1) : given(41_200, 3_100)
    await route.fulfill({ json }).catch(() => undefined)
  })
  await openNew()
  await size('~41,200 ± 3,100').waitFor()
  await page.getByRole('group', { name: 'All conditions' }).getByText('~41,200', { exact: true }).waitFor()
  const late = page.waitForRequest(
    (request) => /audience\/count/.test(request.url()) && /:31\}/.test(request.postData() ?? ''),
  )
  await own('1', 'Days').fill('31')
  await late
  await size('~41,200 ± 3,100').and(page.locator('[data-stale] *')).waitFor()
  await own('1', 'Days').fill('32')
  await size('~41,200 ± 3,100').and(page.locator(':not([data-stale]) > *')).waitFor()
  release()
  await button('Count exactly').click()
  await size('41,377').waitFor()
  await size(/counted one by one at 3 Mar 2026/).waitFor()
  assert.equal(await size('~1 ± 1').count(), 0)
  await page.unroute('**/admin/audience/count*')
  assert.deepEqual(dashboard.complaints, [])
})

test('who may only look is told what it takes', async () => {
  await page.route('**/admin/session*', async (route) => {
    const answer = await route.fetch()
    const session = await answer.json()
    const mayLook = (ability: string) => ability !== 'segments.edit' && ability !== 'segments.end'
    const workspaces = session.workspaces.map((each: { abilities: string[] }) => {
      return { ...each, abilities: each.abilities.filter(mayLook) }
    })
    await route.fulfill({ json: { ...session, workspaces, abilities: session.abilities.filter(mayLook) } })
  })
  await dashboard.visit('new-segment')
  await page.getByRole('heading', { name: 'You may not see the segment builder' }).waitFor()
  await dashboard.visit('segments/staff')
  for (const name of ['Edit', 'Delete']) {
    assert.match((await button(name).getAttribute('title')) ?? '', /It takes the permission segments\.(edit|end)/)
  }
  await page.unroute('**/admin/session*')
  assert.deepEqual(dashboard.complaints, [])
})

test('the builder is used with the keyboard alone', async () => {
  await openNew()
  await button('Add a condition').focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(`document.activeElement?.getAttribute('aria-label') === 'Kind of condition'`)
  await page.keyboard.press('Tab')
  await page.keyboard.type('plan')
  assert.equal(await own('2', 'Attribute').inputValue(), 'plan')
  await button('Move part 2 up').focus()
  await page.keyboard.press('Enter')
  await own('1', 'Attribute').waitFor()
  assert.equal(await own('1', 'Attribute').inputValue(), 'plan')
  await button('Remove part 1').focus()
  await page.keyboard.press('Enter')
  await own('1', 'Days').waitFor()
  assert.equal(await part('2').count(), 0)
})

test('a failing count says so and is tried again, and who may not edit is told', async () => {
  // The page before may still count something else.
  await dashboard.visit('segments')
  await dashboard.answerWith('**/admin/audience/count*', [{ status: 500, message: 'Internal error' }])
  await openNew()
  await page.getByText('Internal error').waitFor()
  await button('Try again').click()
  await size(/counted one by one/).waitFor()
  dashboard.complaints.length = 0
  await dashboard.visit('segments/none/edit')
  await page.getByRole('heading', { name: 'There is no such thing here' }).waitFor()
  dashboard.complaints.length = 0
})

test('the builder is accessible', async () => {
  await page.evaluate('sessionStorage.clear()')
  await admin('PATCH', '/admin/segments/staff', {
    audience: {
      AND: [
        { custom_attribute: { custom_attribute_name: 'plan', path: ['a'], comparison: 'equals', value: 5 } },
        { NOT: { segment: { segment_id: 'shared' } } },
        {
          OR: [
            { standard_attribute: { name: 'country', comparison: 'equals', value: 'NL' } },
            {
              custom_event: {
                ...{ name: 'order_placed', comparison: 'exists', days: 30 },
                properties: [{ name: 'total', comparison: 'greater_than', value: 20 }],
              },
            },
            { session_count: { comparison: 'greater_than', value: 3, only_with_sessions: true } },
          ],
        },
      ],
    },
  })
  await dashboard.checkAccess([
    ['segment-new', 'new-segment', 'counted one by one'],
    ['segment-edit', 'segments/staff/edit', 'counted one by one'],
  ])
  await page.setViewportSize(narrow)
  for (const place of ['1', '3.2']) {
    await part(place).scrollIntoViewIfNeeded()
    await dashboard.shot(`segment-part-${place}-narrow`)
  }
  await page.setViewportSize(wide)
  assert.deepEqual(dashboard.complaints, [])
})
