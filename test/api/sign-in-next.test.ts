import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Signing } from '../support/sign-in.ts'

const at = new Signing()
before(() => at.start())
after(() => at.stop())

const wanted = '/dashboard/w/default/people?q=a%40b.com&panel=person:1'
const ask = (next: string, cookie?: string) => at.get(`/sign-in?next=${encodeURIComponent(next)}`, cookie)
const cookiesOf = (headers: { readonly 'set-cookie'?: string[] | undefined }) => headers['set-cookie'] ?? []

test('signing in leads to the page of the dashboard that was wanted, once', async () => {
  const { user_name } = await at.account()
  const [remembered] = cookiesOf((await ask(wanted)).headers)
  assert.match(remembered!, /^easel_next=%2Fdashboard.*; HttpOnly; SameSite=Lax$/)
  const cookie = remembered!.split(';')[0]!
  const signedIn = await at.send(await at.link(user_name), {}, { headers: { cookie } })
  assert.equal(signedIn.status, 303)
  assert.equal(signedIn.headers.location, `../..${wanted}`)
  const [session, cleared] = cookiesOf(signedIn.headers)
  assert.match(cleared!, /^easel_next=; Max-Age=0;/)
  const again = await ask(wanted, session!.split(';')[0]!)
  assert.deepEqual([again.status, again.headers.location], [303, wanted.slice(1)], 'a session needs no second sign-in')
})

test('signing in leads nowhere else', async () => {
  const { user_name } = await at.account()
  const elsewhere = [
    ...[
      'https://evil.example/dashboard',
      '//evil.example',
      '/dashboard.evil.example',
      '/dashboardx',
      '/sign-out',
      'dashboard',
    ],
    ...['/dashboard\\..\\x', '/dashboard/\nx', '/dashboard/ä', `/dashboard/${'x'.repeat(2_000)}`, ''],
  ]
  for (const next of elsewhere) {
    const { status, headers } = await ask(next)
    assert.equal(status, 200, next)
    assert.deepEqual(cookiesOf(headers), [], next)
  }
  for (const value of ['https%3A%2F%2Fevil.example', '%2F%2Fevil.example', '%', '"x"']) {
    const cookie = `easel_next=${value}`
    const { status, headers } = await at.send(await at.link(user_name), {}, { headers: { cookie } })
    assert.deepEqual([status, headers.location], [303, '../../dashboard'], value)
  }
})
