import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import test from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { unpackTar } from 'modern-tar/fs'
import pg from 'pg'
import { pino } from 'pino'
import { printSchema } from '../../scripts/schema.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { migrate, readMigrations } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { sql } from '../../src/base/db/sql.ts'
import { listCredentials, listDkimKeys } from '../../src/messaging/mail/secret-store.ts'
import { testPostgres } from '../servers/postgres.ts'
import { easel } from '../support/command-line.ts'
import { type Database, databases, startService } from '../support/harness.ts'
import {
  askAt,
  credentialPassword,
  describePeople,
  describeRelease,
  goOn,
  releaseEnvironment,
  releaseSecret,
} from '../support/release-scenario.ts'
import { contentOfTables, type TableContent } from '../support/release-tables.ts'

const fixtures = join(import.meta.dirname, '../fixtures/releases')
const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')
const log = pino({ level: 'silent' })
const clock = systemClock()

type Installation = {
  readonly content: Awaited<ReturnType<typeof describeRelease>>
  readonly tables: Readonly<Record<string, TableContent>>
  readonly later: object
}
type Manifest = { readonly version: string; readonly commit: string } & Readonly<Record<Database, Installation>>

const versions = readdirSync(fixtures)
  .filter((name) => /^\d/.test(name))
  .sort()
const readable = versions.filter((version) => version !== '0.1.0')
const manifestOf = (version: string): Manifest =>
  JSON.parse(readFileSync(join(fixtures, version, 'manifest.json'), 'utf8'))
const unpacked = (version: string, file: string) => zstdDecompressSync(readFileSync(join(fixtures, version, file)))

/** What a release stored that this version changes on purpose, by table and column. */
const changedTables: Readonly<Record<string, string>> = {
  migration: 'has the files that were applied since',
  counter: 'has a counter of cohorts (0038)',
  sign_in_link: 'has no row for the first administrator, whose link is derived from a secret (0011)',
}

/** Columns that a release stored and this version has dropped on purpose, by table. */
const droppedColumns: Readonly<Record<string, readonly string[]>> = {
  // Of the webhook calls of entries, which are messages now (0049).
  entry: ['lease', 'leased_until', 'attempts'],
}

/** Returns tables without the columns that this version has dropped. */
function withoutDropped(tables: Readonly<Record<string, TableContent>>): Record<string, TableContent> {
  const kept = Object.entries(tables).map(([table, content]) => {
    const columns = content.columns.filter((name) => !droppedColumns[table]?.includes(name))
    return [table, { ...content, columns }] as const
  })
  return Object.fromEntries(kept)
}

/** The installation of a release in a place of its own, which is removed at the end. */
async function openFixture(version: string, database: Database) {
  const folder = mkdtempSync(join(tmpdir(), 'easel-release-'))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const end = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
  if (database === 'pglite') {
    const embedded = { ...end, dataDir, databaseUrl: undefined }
    if (existsSync(join(fixtures, version, 'data.tar.zst')))
      await pipeline(Readable.from([unpacked(version, 'data.tar.zst')]), unpackTar(dataDir))
    else
      await withDb(embedded, (db) =>
        db.execute(`drop schema public cascade; create schema public; ${readDump(version)}`),
      )
    return embedded
  }
  const server = await testPostgres()
  assert.ok(server)
  const databaseUrl = await server.createDatabase(`release_${randomUUID()}`)
  await loadDump(databaseUrl, readDump(version))
  return { ...end, dataDir, databaseUrl }
}

/**
 * Returns what `pg_dump --inserts` has written, without commands of psql, the schema that every database has, and settings of newer
 * servers. Names are written with their schema, so the empty search path is not needed either, which would stay in the session.
 */
function readDump(version: string): string {
  const extra =
    /^(?:\\(?:un)?restrict .*|CREATE SCHEMA public;|SET transaction_timeout = 0;|SELECT pg_catalog\.set_config\('search_path'.*)$/gm
  return unpacked(version, 'postgres.sql.zst').toString().replaceAll(extra, '')
}

async function loadDump(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      text.replaceAll(/^(?:\\(?:un)?restrict .*|CREATE SCHEMA public;|SET transaction_timeout = 0;)$/gm, ''),
    )
  } finally {
    await client.end()
  }
}

type Fixture = Awaited<ReturnType<typeof openFixture>>

async function withDb<T>({ dataDir, databaseUrl }: Fixture, work: (db: Db) => Promise<T>): Promise<T> {
  const db = await openDb({ dataDir, ...(databaseUrl && { databaseUrl }), log, clock })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

async function withEasel<T>(
  { dataDir, databaseUrl }: Pick<Fixture, 'dataDir' | 'databaseUrl'>,
  env: object,
  work: (url: string) => Promise<T>,
) {
  await using service = await startService({
    env: { ...releaseEnvironment, EASEL_DATA: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }), ...env },
  })
  return await work(service.url)
}

/** Fails when something of `expected` is not in `found`: newer releases tell more, and nothing else. */
function assertHas(found: unknown, expected: unknown, place: string): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(found), place)
    assert.equal(found.length, expected.length, `${place}: ${JSON.stringify(found)}`)
    for (const [i, each] of expected.entries()) assertHas(found[i], each, `${place}[${i}]`)
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof found === 'object' && found !== null, `${place}: ${JSON.stringify(found)}`)
    for (const [name, each] of Object.entries(expected)) {
      // The requests of the test are a use.
      if (name === 'last_used_at') continue
      assertHas((found as Record<string, unknown>)[name], each, `${place}.${name}`)
    }
  } else assert.deepEqual(found, expected, place)
}

test('every released version has a fixture', () => {
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)$/gm)].map(([, version]) => version!)
  assert.deepEqual(versions, released.sort())
})

for (const database of databases) {
  for (const version of readable) {
    test(`everything that ${version} stored is there after an upgrade, and goes on (${database})`, async () => {
      const { content, tables, later } = manifestOf(version)[database]
      using fixture = await openFixture(version, database)
      const schema = await withDb(fixture, async (db) => {
        assert.deepEqual(await contentOfTables(db), tables, 'the fixture is what the release had')
        const before = await contentOfTables(db, withoutDropped(tables))
        await migrate(db, clock)
        const now = await contentOfTables(db, before)
        const different = Object.keys(tables).filter(
          (table) => !(table in changedTables) && now[table]?.checksum !== before[table]!.checksum,
        )
        assert.deepEqual(different, [])
        return printSchema(db)
      })
      assert.equal(schema, await freshSchema(database))

      await withEasel(fixture, {}, async (url) => assertHas(await describeRelease(askAt(url)), content, version))
      // Secrets open, also after they were encrypted under a root secret.
      await withDb(fixture, checkSecrets)
      await withEasel(fixture, { EASEL_SECRET: releaseSecret }, async (url) => {
        assertHas(await describeRelease(askAt(url)), content, version)
        assertHas(await goOn(askAt(url)), later, version)
      })
    })
  }

  test(`what 0.1.0 stored is refused with a sentence that says how to move (${database})`, async () => {
    using fixture = await openFixture('0.1.0', database)
    const before = await withDb(fixture, (db) => contentOfTables(db))
    await assert.rejects(
      withEasel(fixture, {}, async () => assert.fail('it has started')),
      /made by Easel 0\.1, .*`easel export FILE` with Easel 0\.1, .*`easel import FILE`/s,
    )
    assert.deepEqual(await withDb(fixture, (db) => contentOfTables(db)), before)
  })
}

const skip = databases.includes('postgres') ? false : 'needs PostgreSQL: one process alone opens the embedded database'
for (const version of readable) {
  test(`three processes that start at once upgrade once what ${version} stored, and serve it together`, {
    skip,
  }, async () => {
    using fixture = await openFixture(version, 'postgres')
    await using stack = new AsyncDisposableStack()
    const env = { ...releaseEnvironment, EASEL_CLOCK: 'system', EASEL_ROLE: 'http' }
    const place = { EASEL_DATA: fixture.dataDir, DATABASE_URL: fixture.databaseUrl! }
    const services = await Promise.all(
      Array.from({ length: 3 }, async () => stack.use(await startService({ env: { ...env, ...place } }))),
    )
    const { people } = manifestOf(version).postgres.content
    const [one] = people
    for (const { url } of services) {
      const found = (await describePeople(askAt(url))).people
      assert.deepEqual(found.map(identityOf), people.map(identityOf))
      await askAt(url)('POST', '/users/track', {
        attributes: [{ external_id: one!.external_id, seen_by: { inc: 1 } }],
      })
    }
    const seen = (await describePeople(askAt(services[0]!.url))).people
    assert.equal(seen.find(({ external_id }) => external_id === one!.external_id)?.custom_attributes?.seen_by, 3)
    const files = readMigrations().map(({ name }) => name)
    const applied = await withDb(fixture, (db) =>
      db.query<{ name: string }>(sql`select name from migration order by number`),
    )
    assert.deepEqual(
      applied.map(({ name }) => name),
      files,
    )
  })
}

for (const version of versions) {
  test(`people that ${version} exported are imported as they were`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'easel-import-'))
    const EASEL_DATA = join(folder, 'data')
    try {
      const { pglite: released } = manifestOf(version)
      const env = { EASEL_DATA, EASEL_CLOCK: 'virtual' }
      const { code, err } = await easel(['import', join(fixtures, version, 'people.jsonl.gz')], env)
      assert.equal(code, 0, err)
      const found = await withEasel({ dataDir: EASEL_DATA, databaseUrl: undefined }, {}, async (url) => {
        // The import makes the apps and groups of its head. It leaves out what a person had of flows that are not here.
        return (await describePeople(askAt(url))).people
      })
      const people = released.content.people.map(({ service_id: _, canvases_received: __, ...person }) => person)
      assertHas(found, people, version)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

function identityOf({
  external_id,
  email,
  user_aliases,
}: {
  external_id?: string
  email?: string
  user_aliases?: unknown
}) {
  return { external_id, email, user_aliases }
}

async function checkSecrets(db: Db): Promise<void> {
  const [credential] = await listCredentials(db, 1)
  assert.equal(credential!.password, credentialPassword)
  const [key] = await listDkimKeys(db, 1)
  assert.match(key!.private_key, /^-----BEGIN PRIVATE KEY-----\n/)
}

async function freshSchema(database: Database): Promise<string> {
  const server = database === 'postgres' ? await testPostgres() : undefined
  const databaseUrl = await server?.createDatabase(`fresh_${randomUUID()}`)
  return withDb({ dataDir: 'memory', databaseUrl, [Symbol.dispose]: () => {} }, async (db) => {
    await migrate(db, clock)
    return printSchema(db)
  })
}
