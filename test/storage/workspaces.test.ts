import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { deleteApiKey } from '../../src/accounts/keys/key-store.ts'
import { type Keys, openKeys } from '../../src/accounts/keys/keys.ts'
import { systemActor } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { Failure } from '../../src/base/errors.ts'
import { configSections } from '../../src/config-sections.ts'
import { type ApplyResult, applyFile, planFile } from '../../src/workspace/file/apply.ts'
import { checkFile } from '../../src/workspace/file/check-file.ts'
import { type ConfigCache, openConfigCache } from '../../src/workspace/settings/config-cache.ts'
import { getConfigVersion, raiseConfigVersion } from '../../src/workspace/settings/store.ts'
import { openWorkspaces, type Workspaces } from '../../src/workspace/settings/workspaces.ts'
import { type Open, onBothDatabases, quiet } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'

const clock = systemClock()
const everything = {
  settings: { time_zone: 'Europe/Paris', reserved_external_ids: ['test-user'] },
  apps: [{ id: 'web-1', name: 'Web', platform: 'web' }],
  api_keys: [
    { name: 'Loader', key: 'loader-secret', permissions: ['users.track'], allowed_ips: ['10.0.0.0/8'] },
    { name: 'Reader', permissions: ['users.export.ids'] },
  ],
  subscription_groups: [
    { name: 'News', channel: 'email' },
    { id: 'g-offers', name: 'Offers', channel: 'sms' },
  ],
}

async function booted(open: Open): Promise<Db> {
  const db = await open()
  await bootstrap(db, clock, { apiKey: 'first-secret', adminToken: 'admin-secret' })
  return db
}

type Watched = { cache: ConfigCache; workspaces: Workspaces; keys: Keys }

async function watched(db: Db, work: (watched: Watched) => Promise<void>): Promise<void> {
  const cache = await openConfigCache(db, quiet)
  const workspaces = await openWorkspaces(cache)
  const keys = await openKeys(cache, db, clock, quiet)
  await work({ cache, workspaces, keys }).finally(async () => {
    await keys.close()
    await cache.close()
  })
}

function apply(db: Db, file: object, workspace?: string): Promise<ApplyResult> {
  return applyFile(
    { db, clock, actor: systemActor },
    configSections,
    checkFile(file, '', () => undefined, configSections),
    workspace,
  )
}

onBothDatabases(
  'the first start creates a workspace, a key and a token, and the next creates nothing',
  async (open) => {
    const db = await open()
    const first = await bootstrap(db, clock, {})
    assert.match(first.generated.apiKey!, /^easel_key_/)
    assert.match(first.generated.adminToken!, /^easel_admin_/)
    const second = await bootstrap(db, clock, {})
    assert.deepEqual(second, { secret: first.secret, isSealed: false, generated: {} })
    await watched(db, async ({ workspaces, keys }) => {
      assert.deepEqual([workspaces.default().id, workspaces.default().name], ['default', 'Default'])
      assert.ok(keys.findKey(first.generated.apiKey!)!.permissions.has('users.track'))
      assert.ok(keys.isAdmin(first.generated.adminToken!))
      assert.ok(!keys.isAdmin(first.generated.apiKey!))
      assert.equal(keys.findKey(first.generated.adminToken!), undefined)
    })
  },
)

onBothDatabases('several processes that start at once create one workspace, key and token', async (open) => {
  const processes = await open.processes(4)
  const booted = await Promise.all(processes.flatMap((db) => [bootstrap(db, clock, {}), bootstrap(db, clock, {})]))
  assert.equal(booted.filter(({ generated }) => generated.apiKey).length, 1)
  assert.equal(booted.filter(({ generated }) => generated.adminToken).length, 1)
  assert.equal(new Set(booted.map(({ secret }) => secret.toString('hex'))).size, 1)
  const [{ count }] = (await processes[0]!.query<{ count: number }>(
    sql`select count(*)::int as count from api_key`,
  )) as [{ count: number }]
  assert.equal(count, 1)
})

onBothDatabases('a key of the environment replaces the former one at the next start', async (open) => {
  const db = await booted(open)
  await bootstrap(db, clock, { apiKey: 'second-secret', adminToken: 'other-admin' })
  await watched(db, async ({ keys }) => {
    assert.equal(keys.findKey('first-secret'), undefined)
    assert.ok(keys.findKey('second-secret')!.permissions.has('users.delete'))
    for (const token of ['admin-secret', 'other-admin']) assert.ok(!keys.isAdmin(token))
  })
  const { generated } = await bootstrap(db, clock, {})
  assert.deepEqual(Object.keys(generated), ['adminToken'])
})

onBothDatabases(
  'the SCIM tokens of the environment and of the first start have the right text and origin',
  async (open) => {
    const db = await open()
    const shop = 'https://shop.example'
    const first = (await bootstrap(db, clock, { requestOrigin: shop })).generated.scimToken!
    assert.match(first, /^easel_scim_/)
    const start = (scimToken: string | undefined, requestOrigin: string) =>
      bootstrap(db, clock, { scimToken, requestOrigin })
    const origins = async (...texts: string[]) => {
      let found: (string | null | undefined)[] = []
      await watched(db, async ({ keys }) => {
        found = texts.map((text) => keys.findScimToken(text)?.origin)
      })
      return found
    }
    assert.deepEqual(await origins(first, 'one'), [shop, undefined])
    assert.deepEqual((await start('one', shop)).generated, {})
    assert.deepEqual(await origins(first, 'one'), [shop, shop])
    await start('two', 'https://other.example')
    assert.deepEqual(await origins(first, 'one', 'two'), ['https://other.example', undefined, 'https://other.example'])
    assert.deepEqual((await start(undefined, shop)).generated, {})
    assert.deepEqual(await origins(first, 'two'), [shop, shop])
  },
)

onBothDatabases('a start is refused when the key of the environment exists with fewer permissions', async (open) => {
  const db = await booted(open)
  await apply(db, everything)
  await assert.rejects(bootstrap(db, clock, { apiKey: 'loader-secret' }), /also the text of the API key "Loader"/)
})

onBothDatabases('applying a file twice changes nothing the second time', async (open) => {
  const db = await booted(open)
  const first = await apply(db, everything)
  assert.equal(first.changes.length, 7)
  assert.deepEqual(
    first.secrets.map(({ name }) => name),
    ['Reader'],
  )
  const version = await getConfigVersion(db)
  const second = await apply(db, everything)
  assert.deepEqual(second, { workspace: { id: 'default', name: 'Default' }, changes: [], secrets: [] })
  assert.equal(await getConfigVersion(db), version)
  await watched(db, async ({ workspaces, keys }) => {
    const { settings, apps, groups, appIds, reservedExternalIds } = workspaces.default()
    assert.equal(settings.time_zone, 'Europe/Paris')
    assert.deepEqual([...appIds], ['web-1'])
    assert.equal(apps.get('web-1')!.name, 'Web')
    assert.deepEqual(
      [...groups.values()].map(({ name, channel }) => [name, channel]),
      [
        ['News', 'email'],
        ['Offers', 'sms'],
      ],
    )
    assert.ok(reservedExternalIds.has('test-user'))
    const loader = keys.findKey('loader-secret')!
    assert.deepEqual([[...loader.permissions], loader.allowed_ips], [['users.track'], ['10.0.0.0/8']])
    assert.ok(keys.findKey(first.secrets[0]!.key)!.permissions.has('users.export.ids'))
  })
})

onBothDatabases('a file with one mistake changes nothing', async (open) => {
  const db = await booted(open)
  await apply(db, everything)
  const file = {
    settings: { time_zone: 'UTC' },
    subscription_groups: [{ id: 'g-offers', name: 'News', channel: 'sms' }],
  }
  await assert.rejects(apply(db, file), (error) => error instanceof Failure && error.kind === 'invalid')
  await watched(db, async ({ workspaces }) => assert.equal(workspaces.default().settings.time_zone, 'Europe/Paris'))
})

onBothDatabases('a key text or id that is already in use is refused, and nothing is written', async (open) => {
  const db = await booted(open)
  const file = { workspace: { id: 'shop' }, api_keys: [{ name: 'Copy', key: 'first-secret', permissions: ['*'] }] }
  await assert.rejects(apply(db, file), /the id or the key of "Copy" is in use already/)
  await watched(db, async ({ workspaces }) => assert.equal(workspaces.find('shop'), undefined))
})

onBothDatabases(
  'groups may swap their names in one file, and a new one may have a name that becomes free',
  async (open) => {
    const db = await booted(open)
    const group = (id: string, name: string) => ({ id, name, channel: 'email' })
    await apply(db, { subscription_groups: [group('g1', 'News'), group('g2', 'Offers'), group('g3', 'Tips')] })
    await apply(db, {
      subscription_groups: [
        group('g1', 'Offers'),
        group('g2', 'News'),
        group('g3', 'Hints'),
        { name: 'Tips', channel: 'sms' },
      ],
    })
    await watched(db, async ({ workspaces }) => {
      const names = [...workspaces.default().groups.values()].map(({ id, name, channel }) => [id, name, channel])
      assert.deepEqual(names.slice(0, 3), [
        ['g1', 'Offers', 'email'],
        ['g2', 'News', 'email'],
        ['g3', 'Hints', 'email'],
      ])
      assert.deepEqual(names[3]!.slice(1), ['Tips', 'sms'])
    })
  },
)

onBothDatabases('a file with a workspace section changes that workspace', async (open) => {
  const db = await booted(open)
  await apply(db, { workspace: { id: 'shop', name: 'Shop' }, apps: everything.apps })
  await apply(db, { workspace: { name: 'Second shop' }, apps: everything.apps })
  await apply(db, { workspace: { id: 'default', name: 'Main' } })
  await apply(db, { settings: { export_all_fields: true } }, 'shop')
  await watched(db, async ({ workspaces }) => {
    assert.deepEqual(
      workspaces.all().map(({ name }) => name),
      ['Main', 'Shop', 'Second shop'],
    )
    assert.equal(workspaces.default().name, 'Main')
    assert.equal(workspaces.find('shop')!.settings.export_all_fields, true)
    assert.equal(workspaces.default().settings.export_all_fields, false)
    assert.equal(workspaces.default().apps.size, 0)
  })
  await assert.rejects(apply(db, {}, 'nowhere'), /There is no workspace "nowhere"; there are default, shop, /)
  await assert.rejects(
    apply(db, { workspace: { id: 'shop' } }, 'default'),
    /workspace\.id must be default, as in \?workspace=/,
  )
})

onBothDatabases('a plan writes nothing', async (open) => {
  const db = await booted(open)
  const version = await getConfigVersion(db)
  const file = checkFile({ workspace: { id: 'shop' }, ...everything }, '', () => undefined, configSections)
  const { changes } = await planFile(db, configSections, file)
  assert.equal(changes.length, 8)
  assert.equal(await getConfigVersion(db), version)
  assert.equal((await planFile(db, configSections, file)).changes.length, 8)
})

onBothDatabases('concurrent applies run one after the other', async (open) => {
  const processes = await open.processes(3)
  await bootstrap(processes[0]!, clock, { apiKey: 'first-secret', adminToken: 'admin-secret' })
  const applied = await Promise.all(processes.flatMap((db) => [apply(db, everything), apply(db, everything)]))
  assert.equal(applied.filter(({ changes }) => changes.length > 0).length, 1)
})

onBothDatabases('a key that is revoked in one process is refused in every other within a second', async (open) => {
  const processes = await open.processes(2)
  await bootstrap(processes[0]!, clock, { apiKey: 'first-secret', adminToken: 'admin-secret' })
  await watched(processes.at(-1)!, async ({ keys }) => {
    const { id, workspace_id } = keys.findKey('first-secret')!
    await deleteApiKey(processes[0]!, workspace_id, id)
    await raiseConfigVersion(processes[0]!)
    await eventually('the key is unknown', () => keys.findKey('first-secret') === undefined)
  })
})

onBothDatabases('a newer version that another query has seen is loaded at once', async (open) => {
  const db = await booted(open)
  await watched(db, async ({ cache, keys }) => {
    await sleep(20)
    const { id, workspace_id } = keys.findKey('first-secret')!
    await deleteApiKey(db, workspace_id, id)
    cache.noticed(await raiseConfigVersion(db))
    await eventually('the key is unknown', () => keys.findKey('first-secret') === undefined)
  })
})

onBothDatabases(
  'the cache stays in use while the database is unavailable, and the use of keys is recorded later',
  async (open) => {
    const db = await booted(open)
    let isUnavailable = false
    const flaky: Db = {
      ...db,
      query: (statement) => (isUnavailable ? Promise.reject(new Error('unavailable')) : db.query(statement)),
    }
    await watched(flaky, async ({ cache, workspaces, keys }) => {
      isUnavailable = true
      await assert.rejects(cache.refresh(), /unavailable/)
      assert.ok(keys.findKey('first-secret'))
      isUnavailable = false
      await apply(db, { settings: { export_all_fields: true } })
      await eventually('the setting is read', () => workspaces.default().settings.export_all_fields)
    })
    const [key] = await db.query<{ last_used_at: Date | null }>(sql`select last_used_at from api_key`)
    assert.ok(Math.abs(key!.last_used_at!.getTime() - clock.now()) < 60_000)
  },
)
