import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { letter, mail, sendingWorkspace } from '../support/messages.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
let picturesLoaded = 0

const hostile = `<style>p { color: #400 }</style>
  <p id="said">quiet</p>
  <script>document.getElementById('said').textContent = 'loud'; parent.document.title = 'loud'</script>
  <img alt="a picture" width="40" height="40" src="https://pictures.example/logo.png"
    onerror="document.getElementById('said').textContent = 'loud'">
  <img alt="" src="/admin/session">
  <a href="https://shop.example/tea" target="_top">Look at the tea</a>
  <form action="https://shop.example/order" method="post"><button>Order</button></form>
  <iframe src="https://shop.example/frame"></iframe>
  <meta http-equiv="refresh" content="0; url=https://shop.example/away">`
const rightToLeft = 'مرحبا بك في متجرنا'
const long = 'W'.repeat(10_000)

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  await dashboard.signIn()
  page = dashboard.page
  await page.context().route('https://pictures.example/**', async (route) => {
    picturesLoaded++
    await route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' })
  })
})
after(() => dashboard.close())

const dialog = (): Locator => page.getByRole('dialog')
const panel = (): Locator => page.getByRole('complementary')

async function send(external_id: string, email: object): Promise<void> {
  const { service } = dashboard.at
  await service.post('/users/track', { attributes: [{ external_id, email: `${external_id}@example.com` }] })
  const { status, text } = await service.post(
    '/messages/send',
    letter({ external_user_ids: [external_id] }, { ...email }),
  )
  assert.equal(status, 201, text)
  await service.advance('PT1M')
}

async function idOf(external_id: string): Promise<string> {
  const { body } = await dashboard.at.service.admin('GET', `/admin/messages?address=${external_id}@example.com`)
  return body.messages[0].message_id
}

test('an empty list says what fills it', async () => {
  await dashboard.visit('messages')
  await page.getByRole('heading', { name: 'There are no messages' }).waitFor()
  await page.getByText('/messages/send').waitFor()
})

test('a mail is shown as it is, but nothing in it runs, loads, leads away or counts', async () => {
  await send('ada', { subject: '<b>Three</b> tips', body: hostile })
  await dashboard.visit('messages')
  await page.getByRole('link', { name: '<b>Three</b> tips' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press(' ')
  await panel().getByText('The mail "<b>Three</b> tips" was sent to ada@example.com.').first().waitFor()
  await dashboard.shot('messages-panel')
  await panel().getByRole('link', { name: 'Open as page' }).click()
  await page.getByRole('heading', { level: 1, name: '<b>Three</b> tips' }).waitFor()
  const frame = page.frameLocator('iframe[title="The mail"]')
  await frame.getByText('quiet').waitFor()
  await frame.getByText('Look at the tea').click()
  await frame.getByRole('button', { name: 'Order' }).click()
  assert.equal(await frame.getByText('loud').count(), 0)
  assert.equal(await frame.locator('script, iframe, meta, [href]:not([href="#"]), [action]').count(), 0)
  assert.equal(await frame.getByText('Look at the tea').getAttribute('title'), 'https://shop.example/tea')
  assert.equal(await page.title(), '<b>Three</b> tips - Easel')
  assert.equal(picturesLoaded, 0)
  await dashboard.shot('message')
  await page.getByRole('button', { name: '360 px' }).click()
  assert.equal(await page.locator('iframe').evaluate((element) => element.clientWidth), 360)
  const picture = page.waitForResponse((response) => response.url() === 'https://pictures.example/logo.png')
  await page.getByRole('button', { name: 'Pictures' }).click()
  await picture
  await frame.getByText('quiet').waitFor()
  assert.equal(picturesLoaded, 1)
  const foreign = page.frames().filter((each) => /shop\.example/.test(each.url()))
  assert.equal(foreign.length, 0)
  assert.deepEqual(
    dashboard.complaints.splice(0).filter((text) => /^asks /.test(text) && text !== 'asks https://pictures.example'),
    [],
  )
  await page.getByRole('tab', { name: 'Source' }).click()
  await page.getByRole('region', { name: 'Source of the mail' }).getByText('Message-ID').waitFor()
  await page.getByRole('tab', { name: 'Headers' }).click()
  await page.getByText('list-unsubscribe').first().waitFor()
  await page.getByRole('tab', { name: 'Inputs' }).click()
  await page.getByRole('tab', { name: 'Text' }).click()
  await dashboard.at.service.advance('PT1M')
  const { body } = await dashboard.at.service.admin('GET', `/admin/messages/${await idOf('ada')}`)
  assert.deepEqual(body.message.engagement, [])
})

test('an uncertain message is left as it is, another one is sent again, and a late decision is refused', async () => {
  for (const name of ['bo', 'cy', 'dora']) await send(name, { subject: `Offer for ${name}` })
  await dashboard.at.db.execute(
    `update message set state = 'uncertain', reason = 'uncertain'
      where address in ('bo@example.com', 'cy@example.com', 'dora@example.com')`,
  )
  await dashboard.visit('messages?state=uncertain')
  await page.getByRole('link', { name: 'Offer for bo' }).click()
  await page.getByText('It is uncertain whether the mail "Offer for bo" was sent').first().waitFor()
  await page.getByRole('button', { name: 'Leave it' }).click()
  await dialog().getByRole('button', { name: 'Leave it' }).click()
  await page.getByText('Somebody decided to leave it as it is.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send again' }).count(), 0)
  await page.getByRole('link', { name: 'Messages' }).first().click()
  await dashboard.visit('messages?state=uncertain')
  await page.getByRole('link', { name: 'Offer for cy' }).click()
  await page.getByRole('button', { name: 'Send again' }).click()
  await dialog().getByRole('button', { name: 'Send again' }).click()
  await page.getByText('It was sent again.', { exact: true }).waitFor()
  await dashboard.visit(`messages/${await idOf('dora')}`)
  await page.getByRole('button', { name: 'Leave it' }).click()
  await dashboard.at.service.send('POST', `/admin/messages/${await idOf('dora')}/leave`, undefined, {
    key: dashboard.at.service.adminToken,
  })
  await dialog().getByRole('button', { name: 'Leave it' }).click()
  await dialog().getByText('It was decided already that the message is left as it is').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await dashboard.visit('messages?state=uncertain')
  await page.getByRole('heading', { name: 'No message matches these filters' }).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('link', { name: 'Offer for bo' }).first().waitFor()
  assert.deepEqual(
    dashboard.complaints.splice(0).filter((text) => !text.includes('409')),
    [],
  )
})

test('pages are accessible, light and dark, wide and narrow, with long and right-to-left subjects', async () => {
  const { body } = await dashboard.at.service.admin('POST', '/admin/canvases', {
    ...{ name: 'Trial of sixty days', state: 'active', entry: { by: ['api'] }, first: 'hello' },
    steps: [{ id: 'hello', name: 'Hello', type: 'message', channel: 'email', message: mail({ subject: rightToLeft }) }],
  })
  await dashboard.at.service.post('/users/track', { attributes: [{ external_id: 'eve', email: 'eve@example.com' }] })
  const recipients = [{ external_user_id: 'eve' }]
  await dashboard.at.service.post('/canvas/trigger/send', { canvas_id: body.canvas.id, recipients })
  await dashboard.at.service.advance('PT1M')
  await send('fay', { subject: 'Long' })
  await dashboard.at.db.execute(`update message set subject = '${long}' where address = 'fay@example.com'`)
  await dashboard.visit('messages?address=eve%40example.com')
  await page.getByText('Trial of sixty days, Hello').waitFor()
  await page.getByText('By id and time').click()
  await page.getByRole('textbox', { name: 'Id of the step' }).fill('other')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No message matches these filters' }).waitFor()
  await dashboard.checkAccess([
    ['messages', 'messages', 'Offer for bo'],
    ['message', `messages/${await idOf('eve')}`, 'Headers'],
    ['message-long', `messages/${await idOf('fay')}`, 'Headers'],
  ])
  dashboard.complaints.splice(0)
})

test('a mail that is not kept is made anew, marked, and looking at it counts nothing', async () => {
  const { service } = dashboard.at
  await dashboard.at.db.execute(`delete from inbox where address = 'ada@example.com'`)
  await dashboard.visit(`messages/${await idOf('ada')}`)
  await page.getByText('The mail was not kept').waitFor()
  await page.getByRole('button', { name: 'Show it made anew' }).click()
  await page.getByText('it was made anew just now').waitFor()
  await page.frameLocator('iframe[title="The mail"]').getByText('Look at the tea').waitFor()
  await dashboard.shot('message-anew')
  await page.getByRole('tab', { name: 'Source' }).click()
  await page.getByRole('region', { name: 'Source of the mail' }).getByText('Message-ID').waitFor()
  const path = `/admin/messages/${await idOf('ada')}`
  const { message } = (await service.admin('GET', path)).body
  assert.deepEqual([message.mail, message.attempts, message.engagement], [null, 1, []])
  dashboard.complaints.splice(0)
})

test('a failing service and a missing permission are said where it happens', async () => {
  await dashboard.answerWith('**/admin/messages?*', [{ status: 500, message: 'Internal error' }])
  await dashboard.visit('messages')
  await page.getByText('Internal error').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await dashboard.rows.first().waitFor()
  await page.unroute('**/admin/messages?*')
  await dashboard.visit('messages/1')
  await page.getByRole('heading', { name: 'There is no such message' }).waitFor()
  await dashboard.at.db.execute(
    `update message set state = 'uncertain', reason = 'uncertain' where address = 'eve@example.com'`,
  )
  const id = await idOf('eve')
  const workspaces = (permissions: readonly string[]) => ({
    ...{ company: [], roles: [] },
    workspaces: [{ id: 'default', permissions, sets: [], teams: [] }],
  })
  await dashboard.signIn(workspaces(['view_message_activity_log', 'view_pii']))
  await dashboard.visit(`messages/${id}`)
  const button = page.getByRole('button', { name: 'Leave it' })
  await button.waitFor()
  assert.equal(await button.getAttribute('aria-disabled'), 'true')
  await page.frameLocator('iframe').getByText('Hello').waitFor()
  await dashboard.signIn(workspaces(['view_message_activity_log']))
  await dashboard.visit('messages')
  await page.getByRole('heading', { name: 'You may not see Messages' }).waitFor()
})
