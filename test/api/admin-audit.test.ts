import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { questions, secrets, writes, writesElsewhere } from '../support/admin-writes.ts'
import { drawDatabases, scimToken } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { type Item, newId } from '../support/people.ts'

type Operation = { readonly security: readonly object[] }

for (const database of drawDatabases('admin-audit')) {
  describe(`/admin/audit (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' } })
    const ask = (method: string, path: string, body?: unknown) =>
      people.service.send(method, path, body, { key: people.service.adminToken })
    const list = async (query = '') => (await people.service.admin('GET', `/admin/audit?${query}`)).body
    const rows = async (query: string): Promise<Item[]> => (await list(query)).audit

    test('the table of writes has every route that writes', async () => {
      const { paths } = (await people.service.get('/openapi.json', { key: null })).body
      const routes = Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) =>
        Object.entries(operations)
          .filter(
            ([method, { security }]) =>
              method !== 'get' && security.length > 0 && !security.some((each) => 'api_key' in each),
          )
          .map(([method]) => `${method.toUpperCase()} ${path}`),
      )
      const covered = new Set([...Object.keys(writes), ...writesElsewhere, ...questions])
      assert.deepEqual([...new Set(routes).symmetricDifference(covered)], [])
    })

    for (const [route, write] of Object.entries(writes)) {
      test(`${route} writes an audit row`, async () => {
        const { status, text, headers } = await write(people)
        assert.ok(status < 300, text)
        const [row, ...others] = await rows(`request_id=${headers['x-request-id']}`)
        assert.ok(row, 'the write has an audit row')
        assert.deepEqual(others, [])
        const { kind, name } = row.actor as { kind: string; name: string }
        const by = route.includes(' /scim/') ? ['scim', 'EASEL_SCIM_TOKEN'] : ['admin', 'admin']
        assert.deepEqual([kind, name], by)
        assert.deepEqual(row.from, { ip: '127.0.0.1', request_id: headers['x-request-id'] })
        assert.match(row.action as string, /^[a-z_]+\.[a-z_]+$/)
      })
    }

    test('audit rows hold no secret', async () => {
      const everything = await people.db.query<{ text: string; kind: string }>(sql`
        select audit::text as text, target_kind as kind from audit`)
      assert.ok(everything.length > 50)
      for (const { text, kind } of everything) {
        for (const secret of [...secrets, people.service.apiKey, people.service.adminToken, scimToken]) {
          assert.ok(!text.includes(secret), text)
        }
        assert.doesNotMatch(text, /easel_(key|admin|scim|session)_[\w-]{20}/)
        if (kind === 'address') assert.doesNotMatch(text, /@example\.com/)
      }
    })

    test('a row has the values before and after the change, and no other values', async () => {
      const { body } = await people.service.admin('POST', '/admin/apps', { name: newId('app'), platform: 'web' })
      const { id, name } = body.app
      await people.service.admin('PATCH', `/admin/apps/${id}`, { platform: 'ios' })
      await people.service.admin('DELETE', `/admin/apps/${id}`)
      const [gone, changed, made] = await rows(`target=app:${id}`)
      assert.deepEqual([made?.action, made?.before, made?.after], ['app.create', null, { id, name, platform: 'web' }])
      assert.deepEqual(
        [changed?.action, changed?.before, changed?.after],
        ['app.update', { platform: 'web' }, { platform: 'ios' }],
      )
      assert.deepEqual([gone?.action, gone?.before, gone?.after], ['app.delete', { id, name, platform: 'ios' }, null])
      assert.deepEqual(made?.target, { kind: 'app', id, name })
      assert.equal(made?.workspace, 'default')
    })

    test('a row names the account of a signed-in person', async () => {
      const account = await makeAccount(people.db, { companyPermissions: ['admin'] })
      const person = await signIn(people.service, people.db, account)
      const { status, headers } = await person.send('POST', '/admin/apps', { name: newId('app'), platform: 'web' })
      assert.equal(status, 201)
      const [row] = await rows(`actor=account:${account.account_id}`)
      assert.deepEqual(row?.actor, { kind: 'account', id: account.account_id, name: account.user_name })
      assert.deepEqual(row?.from, { ip: '127.0.0.1', request_id: headers['x-request-id'] })
      assert.equal((await person.send('GET', '/admin/audit')).status, 200)
      const other = await signIn(people.service, people.db, await makeAccount(people.db))
      assert.equal((await other.send('GET', '/admin/audit')).status, 403)
    })

    test('a change of a password gives a row without values', async () => {
      const { body } = await people.service.admin('POST', '/admin/credentials', {
        name: newId('credential'),
        user_name: 'easel',
        password: secrets[0],
        origins: ['https://files.example.com'],
      })
      const { id } = body.credential
      await people.service.admin('PATCH', `/admin/credentials/${id}`, { password: 'another' })
      const [row] = await rows(`target=credential:${id}`)
      assert.deepEqual([row?.action, row?.before, row?.after], ['credential.update', {}, {}])
    })

    test('each changed entry of a file gives one row, and an unchanged entry gives none', async () => {
      const workspace = { id: newId('shop'), name: newId('Shop') }
      const file = {
        workspace,
        settings: { time_zone: 'Asia/Tokyo' },
        apps: [1, 2].map((n) => ({ id: newId(), name: `App ${n}`, platform: 'web' })),
      }
      const first = await ask('POST', '/admin/apply', file)
      const again = await ask('POST', '/admin/apply', file)
      const written = await rows(`request_id=${first.headers['x-request-id']}`)
      assert.deepEqual(written.map(({ action }) => action).toReversed(), [
        'workspace.create',
        'setting.update',
        'app.create',
        'app.create',
      ])
      assert.deepEqual(await rows(`workspace=${workspace.id}`), written)
      assert.deepEqual(written.at(-2)?.after, { value: 'Asia/Tokyo' })
      assert.deepEqual(await rows(`request_id=${again.headers['x-request-id']}`), [])
    })

    test('refused writes and plans give no row', async () => {
      const answers = [
        await ask('POST', '/admin/apps', { name: newId(), platform: 'toaster' }),
        await ask('DELETE', `/admin/apps/${newId()}`),
        await ask('POST', '/admin/apply?plan=true', { apps: [{ name: newId(), platform: 'web' }] }),
        await ask('POST', '/admin/people?plan=true', { lines: [] }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [400, 404, 200, 200],
      )
      for (const { headers } of answers) assert.deepEqual(await rows(`request_id=${headers['x-request-id']}`), [])
    })

    test('rows are listed newest first, page by page, and filtered by actor, action and time', async () => {
      await people.service.advance('PT1H')
      const from = (await people.service.admin('GET', '/admin/clock')).body.now
      const names = Array.from({ length: 5 }, () => newId('paged'))
      for (const name of names) await people.service.admin('POST', '/admin/apps', { name, platform: 'web' })
      await people.service.advance('PT1H')
      const until = (await people.service.admin('GET', '/admin/clock')).body.now
      const found: unknown[] = []
      const which = `since=${from}&until=${until}&action=app.create&actor=admin:admin&target=app&workspace=default&limit=2`
      for (let page = await list(which); ; page = await list(`${which}&cursor=${page.cursor}`)) {
        found.push(...page.audit.map(({ target }: { target: Item }) => target.name))
        if (!page.cursor) break
        assert.equal(page.audit.length, 2)
      }
      assert.deepEqual(found, names.toReversed())
      for (const other of ['actor=scim', 'actor=admin:other', 'action=app', 'target=app:none']) {
        assert.deepEqual(await rows(`since=${from}&${other}`), [], other)
      }
      // The admin token of the environment is not stored.
      const made = (await rows('actor=system')).slice(-2).map(({ action }) => action)
      assert.deepEqual(made, ['scim_token.create', 'key.create'])
    })

    test('a row that is too long for the list is complete when it is read by its id', async () => {
      const content = 'x'.repeat(20_000)
      const { body } = await people.service.admin('POST', '/admin/content_blocks', { name: newId('block'), content })
      const [row] = await rows(`target=content_block:${body.content_block.id}`)
      assert.deepEqual([row?.is_cut, row?.before, row?.after], [true, null, null])
      const { entry } = (await people.service.admin('GET', `/admin/audit/${row?.id}`)).body
      assert.deepEqual([entry.is_cut, entry.before, entry.after.content], [undefined, null, content])
    })

    test('an invalid query is refused, and rows cannot be changed', async () => {
      const bad = [
        'since=yesterday',
        'until=1',
        'limit=0',
        'limit=201',
        'cursor=x',
        'cursor=LTE',
        'actor=%00',
        'actor=a&actor=b',
      ]
      for (const query of bad) assert.equal((await ask('GET', `/admin/audit?${query}`)).status, 400, query)
      assert.equal((await ask('GET', '/admin/audit?workspace=none')).status, 404)
      for (const id of ['0', 'x', '9'.repeat(19), '%00'])
        assert.equal((await ask('GET', `/admin/audit/${id}`)).status, 404, id)
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        assert.equal((await ask(method, '/admin/audit', {})).status, 405, method)
        assert.equal((await ask(method, '/admin/audit/1', {})).status, 405, method)
      }
    })
  })
}
