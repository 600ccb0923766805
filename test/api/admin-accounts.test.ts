import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { usableLinksMax } from '../../src/accounts/sign-in/links.ts'
import { makeAccount, type Person, signIn } from '../support/accounts.ts'
import { type Answer, drawDatabases, requestOrigin, scimToken } from '../support/harness.ts'
import { newId } from '../support/people.ts'
import { Signing } from '../support/sign-in.ts'

const path = '/admin/accounts'
const administrator = { companyPermissions: ['admin'] }
const address = () => `${newId('ada')}@example.com`
const inDefault = (...appGroupPermissions: string[]) => ({
  appGroup: [{ appGroupId: 'default', appGroupPermissions }],
})

for (const database of drawDatabases('admin-accounts')) {
  describe(`accounts of administrators (${database})`, () => {
    const at = new Signing()
    let grace: Person
    before(async () => {
      await at.start({ database })
      await at.service.admin('POST', '/admin/apply', {
        roles: [{ id: 'editor', name: 'Editor', permissions: ['edit_canvases', 'view_segments'] }],
        permission_sets: [{ id: 'care', name: 'Care', permissions: ['view_user_profile', 'view_pii'] }],
        teams: [{ id: 'crm', name: 'CRM' }],
        settings: { departments: ['Marketing', 'Support'] },
      })
      grace = await person(administrator)
    })
    after(() => at.stop())

    const person = async (permissions: unknown): Promise<Person> =>
      signIn(at.service, at.db, await makeAccount(at.db, permissions, { user_name: address() }))
    const one = (id: string) => `${path}/${id}`
    const invite = (body: object, by: Person = grace) => by.send('POST', path, { given_name: 'Ada', ...body })
    const invited = async (body: object = {}): Promise<{ id: string; user_name: string }> => {
      const answer = await invite({ user_name: address(), send_link: false, ...body })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.account
    }
    const scim = (method: string, to: string, body?: unknown) =>
      at.service.send(method, encodeURI(`/scim/v2/Users${to}`), body, {
        key: scimToken,
        headers: { 'x-request-origin': requestOrigin },
      })
    const auditOf = async (id: string): Promise<{ action: string; before: unknown; after: unknown }[]> =>
      (await at.service.admin('GET', `/admin/audit?target=account:${id}`)).body.audit

    test('an invited person gets a link, signs in with it once, and does what the role allows', async () => {
      const user_name = address()
      const answer = await invite({
        ...{ user_name, family_name: 'Lovelace', department: 'marketing' },
        permissions: { roles: [{ roleId: 'editor' }] },
      })
      assert.equal(answer.status, 201, answer.text)
      const { account, link } = answer.body
      assert.equal(link.to, user_name)
      assert.ok(Date.parse(link.expires_at) > Date.now() + 71 * 3_600_000)
      assert.deepEqual([account.state, account.sentence, account.department], ['invited', 'Editor.', 'Marketing'])
      assert.deepEqual(account.workspaces[0].allows, [
        'See and edit canvases.',
        'See segments.',
        'Send tests of messages.',
      ])
      const [mail] = await at.mails(user_name)
      assert.equal(mail!.subject, 'You are invited to Easel')
      const { text } = (await at.service.admin('GET', `/admin/inbox/${mail!.id}`)).body
      assert.ok(text.includes(`${grace.account.user_name} has made an account`) && text.includes('for 3 days'))
      const linkPath = await at.linkIn(mail!.id)
      const entered = await at.send(linkPath, {})
      assert.equal(entered.status, 303)
      const cookie = String(entered.headers['set-cookie']?.[0]).split(';')[0]!
      assert.equal(await at.whoIs(cookie), user_name)
      assert.equal((await at.send(linkPath, {})).status, 404)
      const read = await grace.send('GET', one(account.id))
      assert.equal(read.body.account.state, 'active')
      const actions = (await auditOf(account.id)).map(({ action }) => action)
      assert.deepEqual(actions, ['session.open', 'account.mail_link', 'account.create'])
    })

    test('an address that has an account is 409 in every case of its letters, and no second one is made', async () => {
      const { user_name } = await invited()
      for (const name of [user_name, user_name.toUpperCase()]) {
        const { status, body } = await invite({ user_name: name })
        assert.deepEqual([status, body.message], [409, 'User already exists in the database.'])
      }
      assert.equal((await scim('GET', `?filter=userName eq "${user_name}"`)).body.totalResults, 1)
      const made = await Promise.all(Array.from({ length: 5 }, () => invite({ user_name: `twice.${user_name}` })))
      assert.deepEqual(made.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409])
      assert.equal((await at.mails(`twice.${user_name}`)).length, 1)
    })

    const wrong: readonly [body: object, mistake: RegExp][] = [
      [{ given_name: 'Ada' }, /user_name/],
      [{ user_name: 'ada', given_name: 'Ada' }, /user_name must be an e-mail address/],
      [{ user_name: 'ada@example.com\nBcc: eve@example.com', given_name: 'Ada' }, /user_name/],
      [{ user_name: 'ada@example.com', given_name: ' ' }, /given_name/],
      [{ user_name: 'ada@example.com', given_name: 'A'.repeat(256) }, /given_name/],
      [{ user_name: 'ada@example.com', given_name: 'A\nB' }, /given_name/],
      [{ user_name: 'ada@example.com', given_name: 'Ada', family_name: 'L'.repeat(256) }, /family_name/],
      [{ user_name: 'ada@example.com', given_name: 'Ada', department: 'Secret' }, /department must be one of/],
      [{ user_name: 'ada@example.com', given_name: 'Ada', permissions: { roles: [{ roleId: 'none' }] } }, /roles\[0\]/],
      [{ user_name: 'ada@example.com', given_name: 'Ada', permissions: inDefault('fly') }, /appGroupPermissions\[0\]/],
      [{ user_name: 'ada@example.com', given_name: 'Ada', permissions: [] }, /permissions/],
      [{ user_name: 'ada@example.com', given_name: 'Ada', version: 7 }, /version/],
    ]
    for (const [body, mistake] of wrong) {
      test(`an invitation with ${JSON.stringify(body).slice(0, 90)} is 400`, async () => {
        const answer = await grace.send('POST', path, body)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.text, mistake)
      })
    }

    test('accounts are found by parts of names, by state and by what they have, in pages', async () => {
      const mark = newId('find')
      const made = await Promise.all(
        ['a', 'B', 'c'].map((letter) =>
          invited({
            user_name: `${letter}.${mark}@example.com`,
            family_name: `${mark} 50%_${letter}`,
            permissions: {
              roles: [{ roleId: 'editor' }],
              appGroup: [
                {
                  ...{ appGroupId: 'default', appGroupPermissionSets: [{ appGroupPermissionSetId: 'care' }] },
                  team: [{ teamId: 'crm', teamPermissions: ['basic_access'] }],
                },
              ],
            },
          }),
        ),
      )
      await grace.send('PATCH', one(made[1]!.id), { active: false })
      const names = async (query: string) => {
        const { body } = await grace.send('GET', `${path}?${query}`)
        return body.accounts.map(({ user_name }: { user_name: string }) => user_name[0]).join('')
      }
      assert.equal(await names(`q=${mark.toUpperCase()}`), 'aBc')
      assert.equal(await names(`q=${encodeURIComponent(`${mark} 50%_`)}`), 'aBc')
      assert.equal(await names(`q=${encodeURIComponent(`${mark} 5_%`)}`), '')
      assert.equal(await names(`q=${mark}&state=invited`), 'ac')
      assert.equal(await names(`q=${mark}&state=disabled`), 'B')
      assert.equal(await names(`q=${mark}&state=active`), '')
      for (const held of ['role=editor', 'permission_set=care', 'team=crm', 'role=editor&team=crm']) {
        assert.equal(await names(`q=${mark}&${held}`), 'aBc', held)
      }
      assert.equal(await names(`q=${mark}&role=other`), '')
      const first = (await grace.send('GET', `${path}?q=${mark}&limit=2`)).body
      assert.deepEqual([first.total, first.accounts.length], [3, 2])
      assert.equal(await names(`q=${mark}&limit=2&cursor=${first.cursor}`), 'c')
      for (const query of ['limit=0', 'limit=201', 'state=gone', 'cursor=%00', `q=${'a'.repeat(201)}`, 'q=%00']) {
        assert.equal((await grace.send('GET', `${path}?${query}`)).status, 400, query)
      }
      assert.equal((await grace.send('GET', `${path}?limit=200&q=${'a'.repeat(200)}`)).status, 200)
      const { body } = await grace.send('GET', '/admin/holders')
      assert.ok(body.roles.find(({ id }: { id: string }) => id === 'editor').accounts >= 3)
      assert.equal(body.teams.find(({ id }: { id: string }) => id === 'crm').accounts, 3)
      assert.equal(body.permission_sets.find(({ id }: { id: string }) => id === 'care').accounts, 3)
      const role = await grace.send('DELETE', '/admin/roles/editor')
      assert.equal(role.status, 409, 'a role that accounts have is not deleted')
    })

    test('one account shows what it may do in each workspace, and what gives it that', async () => {
      const { id } = await invited({
        permissions: {
          companyPermissions: ['add_remove_app_groups'],
          appGroup: [
            {
              appGroupId: 'default',
              appGroupPermissions: ['launch_canvases'],
              appGroupPermissionSets: [{ appGroupPermissionSetId: 'care' }],
              team: [{ teamId: 'crm', teamPermissions: ['basic_access'] }],
            },
          ],
        },
      })
      const { account } = (await grace.send('GET', one(id))).body
      assert.deepEqual(account.allows, ['See and make workspaces.'])
      const [workspace] = account.workspaces
      assert.deepEqual(
        workspace.sources.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
        [
          ['permissions', null],
          ['permission_set', 'Care'],
        ],
      )
      assert.ok(workspace.allows.includes('See and launch canvases.'), JSON.stringify(workspace.allows))
      assert.deepEqual(workspace.teams, [{ id: 'crm', name: 'CRM', permissions: ['basic_access'] }])
      assert.equal(account.sentence, 'add_remove_app_groups, Care, 1 permission in Default.')
      assert.equal((await grace.send('GET', one('0b6e7c9e-0000-4000-8000-000000000000'))).status, 404)
      assert.equal((await grace.send('GET', one('unknown'))).status, 404)
    })

    test('a change of what a colleague or SCIM has changed is 412, and a tag of SCIM is accepted', async () => {
      const { id } = await invited()
      const read = await grace.send('GET', one(id))
      const tag = String(read.headers.etag)
      const change = (body: object, headers: object) =>
        grace.send('PATCH', one(id), body, { headers: { ...grace.headers, ...headers } })
      const known = await grace.send('GET', one(id), undefined, {
        headers: { ...grace.headers, 'if-none-match': tag },
      })
      assert.deepEqual([known.status, known.text], [304, ''])
      const first = await change({ given_name: 'Bo' }, { 'if-match': tag })
      assert.equal(first.status, 200, first.text)
      const stale = await change({ given_name: 'Cy' }, { 'if-match': tag })
      assert.equal(stale.status, 412, stale.text)
      const user = await scim('GET', `/${id}`)
      assert.equal(user.body.name.givenName, 'Bo')
      const patch = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] }
      const Operations = [{ op: 'replace', path: 'displayName', value: 'Bo B.' }]
      assert.equal((await scim('PATCH', `/${id}`, { ...patch, Operations })).status, 200)
      assert.equal((await change({ given_name: 'Cy' }, { 'if-match': String(first.headers.etag) })).status, 412)
      const scimTag = String((await scim('GET', `/${id}`)).headers.etag)
      assert.equal((await change({ given_name: 'Cy' }, { 'if-match': scimTag })).status, 200)
      const gone = await grace.send('DELETE', one(id), undefined, {
        headers: { ...grace.headers, 'if-match': scimTag },
      })
      assert.equal(gone.status, 412)
      const nothing = await change({ given_name: 'Cy' }, {})
      assert.equal(nothing.headers.etag, (await grace.send('GET', one(id))).headers.etag)
    })

    test('disabling ends sessions and links at once, and enabling lets the person in again', async () => {
      const { id, user_name } = await invited({ permissions: inDefault('view_canvases') })
      const cookie = await at.enter(user_name)
      const link = await at.link(user_name)
      const see = () => at.get('/admin/canvases', cookie)
      assert.equal((await see()).status, 200)
      assert.equal((await grace.send('PATCH', one(id), { active: false })).body.account.state, 'disabled')
      assert.equal((await see()).status, 401)
      assert.equal((await at.send(link, {})).status, 404)
      assert.equal((await grace.send('POST', `${one(id)}/link`)).status, 409)
      await grace.send('PATCH', one(id), { active: true })
      assert.equal((await see()).status, 401)
      const again = await grace.send('POST', `${one(id)}/link`)
      assert.equal(again.status, 200, again.text)
      assert.equal((await at.mails(user_name))[0]!.subject, 'Your link to sign in to Easel')
      const [first] = await auditOf(id)
      assert.deepEqual([first!.action, (first!.after as { to: string }).to], ['account.mail_link', user_name])
    })

    test('another address signs the person out; links go to it alone, and SCIM finds the account by it', async () => {
      const { id, user_name } = await invited()
      const other = address()
      const taken = await invited()
      const cookie = await at.enter(user_name)
      const link = await at.link(user_name)
      const odd = await grace.send('PATCH', one(id), { user_name: taken.user_name.toUpperCase() })
      assert.equal(odd.status, 409, odd.text)
      assert.equal((await grace.send('PATCH', one(id), { user_name: 'nobody' })).status, 400)
      assert.equal(await at.whoIs(cookie), user_name)
      const changed = await grace.send('PATCH', one(id), { user_name: other })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual([changed.body.account.user_name, changed.body.account.mail_to], [other, other])
      assert.equal(await at.whoIs(cookie), undefined)
      assert.equal((await at.send(link, {})).status, 404)
      await at.enter(other)
      assert.equal((await scim('GET', `?filter=userName eq "${other}"`)).body.Resources[0].id, id)
      assert.equal((await scim('GET', `?filter=userName eq "${user_name}"`)).body.totalResults, 0)
      const change = (await auditOf(id)).find(({ action }) => action === 'account.update') as {
        before: { user_name: string }
        after: { user_name: string }
      }
      assert.deepEqual([change.before.user_name, change.after.user_name], [user_name, other])
      const upper = other.toUpperCase()
      assert.equal((await grace.send('PATCH', one(id), { user_name: upper })).body.account.user_name, upper)
    })

    test('an account has at most so many links that work', async () => {
      const { id } = await invited()
      for (let i = 0; i < usableLinksMax; i++) assert.equal((await grace.send('POST', `${one(id)}/link`)).status, 200)
      assert.equal((await grace.send('POST', `${one(id)}/link`)).status, 409)
      assert.equal((await grace.send('POST', `${one(newId())}/link`)).status, 404)
    })

    test('those who are no administrators of the company reach nothing, by no permission', async () => {
      const { id } = await invited()
      const others = [
        {},
        inDefault('admin'),
        inDefault('manage_dashboard_users', 'edit_dashboard_users', 'view_pii'),
        { companyPermissions: ['manage_company_settings', 'add_remove_app_groups'] },
      ]
      for (const permissions of others) {
        const eve = await person(permissions)
        const own = one(eve.account.account_id)
        const tries: readonly [string, string, object?][] = [
          ['GET', path],
          ['GET', one(id)],
          ['GET', '/admin/holders'],
          ['POST', path, { user_name: address(), given_name: 'Eve', permissions: administrator }],
          ['PATCH', own, { permissions: administrator }],
          ['PATCH', one(id), { user_name: eve.account.user_name }],
          ['DELETE', one(id)],
          ['POST', `${one(id)}/link`],
        ]
        for (const [method, to, body] of tries) {
          const { status, text } = await eve.send(method, to, body)
          assert.equal(status, 403, `${method} ${to} ${text}`)
        }
        const { body } = await eve.send('GET', '/admin/session')
        assert.ok(!JSON.stringify(body).includes('accounts.edit'))
      }
      const bare = await grace.send('PATCH', one(id), { active: false }, { headers: { cookie: grace.headers.cookie! } })
      assert.equal(bare.status, 403, 'without a CSRF token')
    })

    test('one does not take from oneself by mistake, nor delete oneself, but may when one confirms it', async () => {
      const bo = await person(administrator)
      const own = one(bo.account.account_id)
      const tries: readonly [string, string, object?][] = [
        ['PATCH', own, { active: false }],
        ['PATCH', own, { permissions: inDefault('admin') }],
        ['PATCH', own, { user_name: address() }],
        ['DELETE', own],
        ['DELETE', `${own}?confirm_own=false`],
      ]
      for (const [method, to, body] of tries) {
        const { status, body: said } = await bo.send(method, to, body)
        assert.equal(status, 409, `${method} ${JSON.stringify(body)}`)
        assert.match(said.message, /^This is your own account, and .+\. Send confirm_own: true if you mean it\.$/)
      }
      assert.equal((await bo.send('PATCH', own, { given_name: 'Bo' })).status, 200, 'a name takes nothing')
      const less = await bo.send('PATCH', own, { permissions: inDefault('admin'), confirm_own: true })
      assert.equal(less.status, 200, less.text)
      assert.equal((await bo.send('PATCH', own, { permissions: administrator })).status, 403)
      const cy = await person(administrator)
      assert.equal((await cy.send('DELETE', `${one(cy.account.account_id)}?confirm_own=true`)).status, 204)
      assert.equal((await cy.send('GET', '/admin/session')).status, 401)
      assert.equal((await scim('GET', `/${cy.account.account_id}`)).status, 404)
    })

    test('two administrators who demote each other at once leave one of them', async () => {
      const both = [await person(administrator), await person(administrator)] as const
      const [ann, bob] = both
      const demote = (by: Person, other: Person): Promise<Answer> =>
        by.send('PATCH', one(other.account.account_id), { permissions: inDefault('admin') })
      const answers = await Promise.all([demote(ann, bob), demote(bob, ann)])
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403])
      const states = await Promise.all(both.map(({ account }) => grace.send('GET', one(account.account_id))))
      assert.deepEqual(states.map(({ body }) => body.account.is_administrator).toSorted(), [false, true])
    })

    test('all sessions of all accounts end, with the links', async () => {
      const { user_name } = await invited()
      const cookie = await at.enter(user_name)
      const link = await at.link(user_name)
      assert.equal((await grace.send('DELETE', `/admin/sessions?all=true&user_name=${user_name}`)).status, 400)
      assert.equal((await grace.send('DELETE', '/admin/sessions?all=perhaps')).status, 400)
      assert.equal((await grace.send('DELETE', '/admin/sessions')).status, 400)
      const { status, body } = await grace.send('DELETE', '/admin/sessions?all=true')
      assert.equal(status, 200)
      assert.ok(body.ended >= 2)
      assert.equal(await at.whoIs(cookie), undefined)
      assert.equal((await at.send(link, {})).status, 404)
      assert.equal((await grace.send('GET', path)).status, 401)
      assert.deepEqual((await at.service.admin('GET', '/admin/sessions')).body.sessions, [])
      const [row] = (await at.service.admin('GET', '/admin/audit?action=session.end_all')).body.audit
      assert.equal(row.after.sessions, body.ended)
      grace = await person(administrator)
    })

    test('the last active administrator stays one, no matter who asks', async () => {
      const { db } = at
      await db.execute(`update account set permissions = '{"company":[],"roles":[],"workspaces":[]}'
        where account_id <> '${grace.account.account_id}'`)
      const own = one(grace.account.account_id)
      const asToken = (method: string, to: string, body?: unknown) =>
        at.service.send(method, to, body, { key: at.service.adminToken })
      const tries = [
        () => grace.send('PATCH', own, { active: false, confirm_own: true }),
        () => grace.send('PATCH', own, { permissions: inDefault('admin'), confirm_own: true }),
        () => grace.send('DELETE', `${own}?confirm_own=true`),
        () => asToken('PATCH', own, { active: false }),
        () => asToken('DELETE', own),
        () => scim('DELETE', `/${grace.account.account_id}`),
      ]
      for (const [i, attempt] of tries.entries()) {
        const { status, text } = await attempt()
        assert.equal(status, 400, `${i} ${text}`)
        assert.match(text, /last active administrator/)
      }
      assert.equal((await grace.send('GET', own)).body.account.is_administrator, true)
      // A second one who was never there, because the account is disabled, is none.
      const idle = await invited({ permissions: administrator })
      await grace.send('PATCH', one(idle.id), { active: false })
      assert.equal((await grace.send('PATCH', own, { active: false, confirm_own: true })).status, 400)
      await grace.send('PATCH', one(idle.id), { active: true })
      assert.equal((await grace.send('PATCH', own, { active: false, confirm_own: true })).status, 200)
    })
  })
}
