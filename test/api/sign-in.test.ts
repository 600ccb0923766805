import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { startMailServer } from '../servers/smtp.ts'
import { type Answer, drawDatabases, requestOrigin, scimToken, spawnService } from '../support/harness.ts'
import { cookieOf, Signing } from '../support/sign-in.ts'

const heading = ({ text }: Answer) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
const gone = 'This link does not work'

for (const database of drawDatabases('sign-in')) {
  describe(`signing in, ${database}`, () => {
    const at = new Signing()
    before(() => at.start({ database }))
    beforeEach(() => at.forgetTries())
    after(() => at.stop())
    const rows = async (text: string) => {
      const { sql } = await import('../../src/base/db/sql.ts')
      return at.db.query<Record<string, unknown>>(sql([text] as unknown as TemplateStringsArray))
    }
    const lastSignIn = async (user_name: string) => {
      const [row] = await rows(`select last_sign_in_at from account where user_name = '${user_name}'`)
      return row!.last_sign_in_at as Date | null
    }

    test('two concurrent uses of the console link create one first account', async () => {
      const link = at.firstLink!
      assert.match((await at.get('/sign-in')).text, /There is no administrator here yet/)
      assert.equal(heading(await at.get(link)), 'The first account')
      const incomplete = await at.send(link, { email: 'first@example.com', given_name: 'Ada', family_name: ' ' })
      assert.equal(incomplete.status, 400)
      assert.match(incomplete.text, /value="first@example\.com"/)
      const who = { given_name: 'Ada', family_name: 'Lovelace' }
      const answers = await Promise.all([1, 2].map((n) => at.send(link, { email: `first.${n}@example.com`, ...who })))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 404])
      const cookie = cookieOf(answers.find(({ status }) => status === 303)!)
      assert.match((await at.whoIs(cookie))!, /^first\.[12]@example\.com$/)
      assert.deepEqual(await rows('select permissions from account'), [
        { permissions: { company: ['admin'], roles: [], workspaces: [] } },
      ])
      assert.equal(heading(await at.get(link)), gone)
      assert.doesNotMatch((await at.get('/sign-in')).text, /There is no administrator/)
    })

    test('the console link stops working when there is an administrator', async () => {
      const path = at.firstLink!
      assert.equal(heading(await at.get(path)), gone)
      const person = { email: 'late@example.com', given_name: 'Late', family_name: 'Comer' }
      assert.equal((await at.send(path, person)).status, 404)
      assert.deepEqual(await rows(`select 1 from account where user_name = 'late@example.com'`), [])
    })

    test('a link is mailed to the primary e-mail, and to the name when none can get a mail', async () => {
      const [work, home] = [at.newAddress(), at.newAddress()]
      const { user_name } = await at.account({ emails: [{ value: home }, { value: work, primary: true }] })
      assert.equal((await at.ask(user_name)).status, 200)
      await at.until(async () => (await at.mails(work)).length === 1)
      const entered = await at.send(await at.linkIn((await at.mails(work))[0]!.id), {})
      assert.equal(await at.whoIs(cookieOf(entered)), user_name)
      const odd = await at.account({ emails: [{ value: 'Ada <ada@example.com>, eve@example.com', primary: true }] })
      await at.link(odd.user_name)
      assert.deepEqual([await at.mails(user_name), await at.mails(home)], [[], []])
    })

    test('a link signs in once, however often its page was opened before', async () => {
      const { user_name } = await at.account()
      const link = await at.link(user_name.toUpperCase().replace('EXAMPLE', 'example'))
      for (const method of ['GET', 'HEAD', 'GET']) {
        assert.equal((await at.service.send(method, link, undefined, { key: null })).status, 200)
      }
      assert.equal(await lastSignIn(user_name), null)
      const answers = await Promise.all([1, 2, 3].map(() => at.send(link, {})))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 404, 404])
      const entered = answers.find(({ status }) => status === 303)!
      assert.equal(entered.headers.location, '../../dashboard')
      assert.equal(await at.whoIs(cookieOf(entered)), user_name)
      assert.equal(heading(await at.get(link)), gone)
      assert.ok(Math.abs((await lastSignIn(user_name))!.getTime() - Date.now()) < 60_000)
      const flags = entered.headers['set-cookie']![0]!
      assert.match(flags, /^easel_session=easel_session_[\w-]{32}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/)
    })

    test('a link expires after a quarter of an hour', async () => {
      const { user_name } = await at.account()
      const link = await at.link(user_name)
      await at.db.execute(`update sign_in_link set expires_at = expires_at - interval '15 minutes'`)
      assert.equal(heading(await at.get(link)), gone)
      assert.equal((await at.send(link, {})).status, 404)
    })

    test('an unknown address gets the same answer, and no mail', async () => {
      const { user_name } = await at.account()
      const disabled = await at.account()
      await at.disable(disabled)
      const known = await at.ask(user_name)
      for (const address of ['nobody@example.com', disabled.user_name]) {
        const unknown = await at.ask(address)
        assert.equal(unknown.status, known.status)
        assert.equal(unknown.text.replace(address, ''), known.text.replace(user_name, ''))
        const names = ({ headers }: Answer) => Object.keys(headers).sort()
        assert.deepEqual(names(unknown), names(known))
      }
      await at.link(user_name)
      assert.deepEqual(await at.mails('nobody@example.com'), [])
      assert.deepEqual(await at.mails(disabled.user_name), [])
    })

    test('a disabled account is signed out from its next request, and its links stop working', async () => {
      const account = await at.account()
      const cookie = await at.enter(account.user_name)
      const link = await at.link(account.user_name)
      assert.equal(await at.whoIs(cookie), account.user_name)
      assert.equal((await at.get('/admin/session', cookie)).status, 200)
      await at.disable(account)
      assert.equal(await at.whoIs(cookie), undefined)
      assert.equal((await at.get('/admin/session', cookie)).status, 401)
      assert.equal((await at.send(link, {})).status, 404)
    })

    test('a removed account loses its sessions and links', async () => {
      const account = await at.account()
      const cookie = await at.enter(account.user_name)
      await at.link(account.user_name)
      await at.remove(account)
      assert.equal(await at.whoIs(cookie), undefined)
      for (const table of ['session', 'sign_in_link']) {
        assert.deepEqual(await rows(`select 1 from ${table} where account_id = '${account.account_id}'`), [])
      }
    })

    test('a sign-out ends this session and no other', async () => {
      const { user_name } = await at.account()
      const [here, elsewhere] = [await at.enter(user_name), await at.enter(user_name)]
      assert.equal(heading(await at.get('/sign-out', here)), 'Sign out')
      assert.equal(await at.whoIs(here), user_name, 'a GET signs nobody out')
      const left = await at.send('/sign-out', {}, { headers: { cookie: here } })
      assert.equal(heading(left), 'You are signed out')
      assert.match(left.headers['set-cookie']![0]!, /^easel_session=; Max-Age=0;/)
      assert.equal(await at.whoIs(here), undefined)
      assert.equal(await at.whoIs(elsewhere), user_name)
      assert.equal((await at.send('/sign-out', {})).status, 200, 'without a session too')
    })

    test('a session ends after a time without requests, and after two weeks in any case', async () => {
      const { user_name } = await at.account()
      const move = (column: string, by: string) =>
        at.db.execute(`update session set ${column} = ${column} - interval '${by}'`)
      const cookie = await at.enter(user_name)
      await move('seen_at', '11 hours 59 minutes')
      assert.equal(await at.whoIs(cookie), user_name)
      await move('seen_at', '11 hours 59 minutes')
      assert.equal(await at.whoIs(cookie), user_name, 'a request in between extends the session')
      await move('seen_at', '12 hours')
      assert.equal(await at.whoIs(cookie), undefined)
      const other = await at.enter(user_name)
      await move('expires_at', '13 days 23 hours 59 minutes')
      assert.equal(await at.whoIs(other), user_name)
      await move('expires_at', '1 minute')
      assert.equal(await at.whoIs(other), undefined)
    })

    test('no usable secret is stored', async () => {
      const { user_name } = await at.account()
      const link = await at.link(user_name)
      const cookie = await at.enter(user_name)
      const stored = JSON.stringify([
        await rows('select encode(token_hash, $$escape$$) as a, s.* from sign_in_link s'),
        await rows('select encode(session_hash, $$escape$$) as a, s.* from session s'),
        await rows('select t.* from sign_in_attempt t'),
        await rows('select t.* from audit t'),
      ])
      for (const secret of [link.split('/').at(-1)!, cookie.split('=')[1]!]) assert.ok(!stored.includes(secret))
    })

    test('forms that another site sends are refused', async () => {
      const { user_name } = await at.account()
      const link = await at.link(user_name)
      const foreign: Record<string, string>[] = [
        { origin: 'https://elsewhere.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        // Origins that look like this host: http instead of https, another port behind a proxy.
        { origin: new URL(at.service.url).origin, 'sec-fetch-site': 'cross-site' },
      ]
      for (const headers of foreign) {
        for (const path of ['/sign-in', link, '/sign-out']) {
          assert.equal((await at.send(path, { email: user_name }, { headers })).status, 403, JSON.stringify(headers))
        }
      }
      for (const head of ['Origin: null\r\n', 'Origin: data:x\r\nHost: \r\n']) {
        const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n'
        const answer = await at.service.raw([
          `POST /sign-in HTTP/1.1\r\nConnection: close\r\n${head}${form}\r\nemail=a`,
        ])
        assert.match(answer, /^HTTP\/1\.1 403 /, head)
      }
      const { origin } = new URL(at.service.url)
      assert.equal((await at.send(link, {}, { headers: { origin, 'sec-fetch-site': 'same-origin' } })).status, 303)
    })

    test('requests for links are counted by address and network, and by network', async () => {
      const [mine, other, third] = ['127.1.1.1', '127.1.2.1', '127.1.3.1']
      const address = at.newAddress()
      for (let i = 0; i < 5; i++) assert.equal((await at.ask(address, mine)).status, 200)
      const refused = await at.ask(address.toUpperCase(), '127.1.1.9')
      assert.equal(refused.status, 429)
      assert.equal(heading(refused), 'Please wait')
      assert.ok(Number(refused.headers['retry-after']) > 800)
      assert.equal((await at.ask(at.newAddress(), mine)).status, 200, 'another address, the same network')
      assert.equal((await at.ask(address, other)).status, 200, 'the same address, another network')
      await at.db.execute(`update sign_in_attempt set began_at = began_at - interval '15 minutes'`)
      assert.equal((await at.ask(address, mine)).status, 200, 'the next window')
      const answers = []
      for (let i = 0; i < 61; i++) answers.push((await at.ask(at.newAddress(), third)).status)
      assert.deepEqual(answers, [...Array(60).fill(200), 429])
    })

    test('no form causes a 5xx', async () => {
      const { user_name } = await at.account()
      const link = await at.link(user_name)
      const strange = ['', 'ada', '\0@example.com', 'a b@example.com', `${'a'.repeat(250)}@b.cd`]
      strange.push("'; drop table account; --@example.com", 'ada@example.com\r\nBcc: eve@example.com', '__proto__')
      strange.push('"><script>@example.com')
      for (const email of strange) {
        const answer = await at.ask(email)
        assert.equal(answer.status, 400, JSON.stringify(email))
        assert.doesNotMatch(answer.text, /<script/)
      }
      for (const email of ['constructor@example.com', '\ud800@example.com', "x'or'1@example.com"]) {
        assert.equal((await at.ask(email)).status, 200)
      }
      for (const token of ['x', '%00', 'easel_link_', `${link.split('/').at(-1)}x`, '..%2f', 'a'.repeat(1000)]) {
        for (const answer of [await at.get(`/sign-in/link/${token}`), await at.send(`/sign-in/link/${token}`, {})]) {
          assert.equal(answer.status, 404)
          assert.equal(heading(answer), gone)
        }
      }
      for (const cookie of [
        'easel_session=',
        'easel_session=x',
        `easel_session=easel_session_${'a'.repeat(32)}`,
        '=;;=',
      ]) {
        assert.equal((await at.get('/sign-in', cookie)).status, 200)
      }
      assert.equal((await at.service.post('/sign-in', { email: user_name }, { key: null })).status, 415)
    })

    test('every page loads nothing from elsewhere and cannot be framed', async () => {
      for (const path of ['/sign-in', '/sign-in/link/x', '/sign-out']) {
        const { headers, text } = await at.get(path)
        assert.match(
          String(headers['content-security-policy']),
          /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
        )
        assert.equal(headers['cache-control'], 'no-store')
        assert.doesNotMatch(text, /<script/)
      }
    })

    test('sign-ins and sign-outs are audited', async () => {
      const { user_name, account_id } = await at.account()
      const cookie = await at.enter(user_name)
      await at.send('/sign-out', {}, { headers: { cookie } })
      const written = await rows(
        `select action, actor_kind, actor_name, ip, target_id, after from audit where actor_id = '${account_id}' order by audit_id`,
      )
      const common = { actor_kind: 'account', actor_name: user_name, ip: '127.0.0.1', target_id: account_id }
      assert.deepEqual(written, [
        { action: 'session.open', after: { way: 'link' }, ...common },
        { action: 'session.close', after: null, ...common },
      ])
    })

    test('sessions are listed without their secrets, and ended one by one or all at once', async () => {
      const { user_name, account_id } = await at.account()
      const cookies = [await at.enter(user_name), await at.enter(user_name), await at.enter(user_name)]
      const path = '/admin/sessions'
      const named = `${path}?user_name=${user_name.toUpperCase()}`
      const { body } = await at.service.admin('GET', named)
      assert.equal(body.sessions.length, 3)
      const [latest] = body.sessions
      assert.deepEqual([latest.account_id, latest.user_name, latest.ip], [account_id, user_name, '127.0.0.1'])
      for (const cookie of cookies) assert.ok(!JSON.stringify(body).includes(cookie.split('=')[1]!))
      const all = (await at.service.admin('GET', `${path}?limit=1000`)).body.sessions
      assert.ok(all.length > 3)
      await at.service.admin('DELETE', `${path}/${latest.id}`)
      assert.equal((await Promise.all(cookies.map((cookie) => at.whoIs(cookie)))).filter(Boolean).length, 2)
      const link = await at.link(user_name)
      assert.equal((await at.service.admin('DELETE', named)).body.ended, 2)
      assert.equal((await Promise.all(cookies.map((cookie) => at.whoIs(cookie)))).filter(Boolean).length, 0)
      assert.equal((await at.get(link)).status, 404, 'unused links are revoked')
      const key = at.service.adminToken
      for (const wrong of [`${path}/${latest.id}`, `${path}/x`, `${path}?user_name=nobody@example.com`]) {
        assert.equal((await at.service.send('DELETE', wrong, undefined, { key })).status, 404, wrong)
      }
      for (const wrong of [path, `${path}?user_name=%00`]) {
        assert.equal((await at.service.send('DELETE', wrong, undefined, { key })).status, 400, wrong)
      }
    })
  })
}

test('with a mail server a link is sent as a plain mail, and the page hides a refusal by the server', async () => {
  const server = await startMailServer()
  const at = new Signing()
  await at.start({ env: { SMTP_URL: server.url, EASEL_MAIL_FROM: 'Ünser Easel <sign-in@easel.example>' } })
  const { user_name } = await at.account({ given_name: 'Zoë' })
  await at.ask(user_name)
  await at.until(async () => server.taken.length === 1)
  const [mail] = server.taken
  assert.equal(mail!.from, 'sign-in@easel.example')
  assert.deepEqual(mail!.to, [user_name])
  const parsed = await PostalMime.parse(mail!.content)
  assert.deepEqual(parsed.from, { name: 'Ünser Easel', address: 'sign-in@easel.example' })
  assert.equal(parsed.subject, 'Your link to sign in to Easel')
  assert.match(parsed.text!, /^Hello Zoë,\s.*\shttp\S+\/sign-in\/link\/easel_link_[\w-]{32}\s/s)
  assert.equal(parsed.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated')
  assert.ok(!parsed.headers.some(({ key }) => key === 'list-unsubscribe'))
  server.at('rcpt', () => ({ code: 550, text: 'no such user' }))
  assert.equal(heading(await at.ask(user_name)), 'Check your e-mail')
  await at.stop()
  await server.close()
})

test('an unavailable identity provider leads to a page that says so, and to no redirect', async () => {
  const at = new Signing()
  const provider = { EASEL_OIDC_CLIENT_ID: 'easel', EASEL_OIDC_CLIENT_SECRET: 'secret' }
  await at.start({ env: { EASEL_OIDC_ISSUER: 'http://127.0.0.1:1/tenant', ...provider } })
  assert.match((await at.get('/sign-in')).text, /href="sign-in\/oidc"/)
  for (const [path, status, text] of [
    ['/sign-in/oidc', 503, 'Please try again'],
    // A return without an attempt is refused without a request to the provider.
    ['/sign-in/oidc/callback?code=x&state=y', 403, 'This did not work'],
  ] as const) {
    const answer = await at.get(path)
    assert.equal(answer.status, status, path)
    assert.equal(heading(answer), text)
    assert.equal(answer.headers['set-cookie'], undefined)
  }
  const headers = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' }
  assert.equal((await at.service.get('/sign-in/oidc', { key: null, headers })).status, 403)
  await at.stop()
})

test('every start shows the same link until an active administrator exists', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'easel-first-'))
  const pathIn = (shown: string | undefined) => shown && new URL(/http\S+/.exec(shown)![0]).pathname
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  // A service in this process returns the link; a separate process prints it.
  const linkMade = async (work?: (at: Signing, path: string) => Promise<unknown>) => {
    const at = new Signing()
    await at.start({ env: { EASEL_DATA: dataDir } })
    const path = at.firstLink
    await work?.(at, path!)
    await at.stop()
    return path
  }
  const linkShown = async () => {
    await using service = await spawnService({ dataDir })
    const path = pathIn(service.lines.find((line) => line.includes('First account')))
    await service.stop()
    return path
  }
  // An identity provider creates accounts before anybody has used the link; nobody of them may do anything.
  const first = await linkMade(async (at, path) => {
    const scim = { key: scimToken, headers: { 'x-request-origin': requestOrigin } }
    const name = { givenName: 'Ada', familyName: 'Lovelace' }
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
    for (const [userName, active] of Object.entries({ 'ada@example.com': true, 'leaver@example.com': false })) {
      const user = { schemas, userName, name, department: 'finance', active }
      const { status, text } = await at.service.post('/scim/v2/Users', user, scim)
      assert.equal(status, 201, text)
    }
    assert.equal(heading(await at.get(path)), 'The first account')
  })
  assert.match(first!, /^\/sign-in\/link\/easel_link_[\w-]{32}$/)
  assert.equal(await linkShown(), first)
  const again = await linkMade(async (at, path) => {
    const person = { given_name: 'Ada', family_name: 'Lovelace' }
    assert.equal((await at.send(path, { ...person, email: 'leaver@example.com' })).status, 409, 'a leaver stays out')
    const entered = await at.send(path, { ...person, email: 'ADA@example.com' }, { headers })
    assert.equal(entered.status, 303)
    assert.equal(await at.whoIs(cookieOf(entered)), 'ada@example.com')
    const { body } = await at.service.get('/admin/session', { key: null, headers: { cookie: cookieOf(entered) } })
    assert.deepEqual(body.account.permissions.companyPermissions, ['admin'])
    assert.equal((await at.get(path)).status, 404)
  })
  assert.equal(again, first)
  assert.equal(await linkMade(), undefined)
  rmSync(dataDir, { recursive: true })
})
