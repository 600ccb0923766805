import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { constants, zstdCompressSync } from 'node:zlib'
import { packTar } from 'modern-tar/fs'
import { pino } from 'pino'
import { systemClock } from '../src/base/clock.ts'
import { openDb } from '../src/base/db/open.ts'
import { findPostgres, testPostgres } from '../test/servers/postgres.ts'
import {
  askAt,
  describeRelease,
  fillRelease,
  goOn,
  releaseEnvironment,
  releaseSecret,
} from '../test/support/release-scenario.ts'
import { contentOfTables } from '../test/support/release-tables.ts'

const usage = `Makes the fixture of a release for test/storage/releases.test.ts, by the server of that release. VERSION is its number,
FOLDER a checkout of its commit after npm ci. PostgreSQL must be installed.

  npm run release-fixture -- VERSION FOLDER`

const fixtures = join(import.meta.dirname, '../test/fixtures/releases')

type Place = { readonly EASEL_DATA: string; readonly DATABASE_URL?: string }

/** Starts the server of the release, runs `work`, and stops it in order, so that everything is in the files of its database. */
async function withServer<T>(folder: string, place: Place, work: (url: string) => Promise<T>): Promise<T> {
  const knowsSecret = readFileSync(join(folder, '.env.example'), 'utf8').includes('# EASEL_SECRET=')
  const child = spawn(join(folder, 'node_modules/.bin/node'), ['src/main.ts'], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'production' },
      ...{ ...releaseEnvironment, ...place },
      ...(knowsSecret && { EASEL_SECRET: releaseSecret }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const { promise, resolve: found, reject } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const url = /"url":"(http:[^"]+)"/.exec(line)?.[1]
    if (url) found(url)
  })
  void ended.then(([code]) => reject(new Error(`the server of the release has ended with ${code}`)))
  try {
    return await work(await promise)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function readTables({ EASEL_DATA, DATABASE_URL }: Place) {
  const options = { dataDir: EASEL_DATA, log: pino({ level: 'silent' }), clock: systemClock() }
  const db = await openDb({ ...options, ...(DATABASE_URL && { databaseUrl: DATABASE_URL }) })
  try {
    return await contentOfTables(db)
  } finally {
    await db.close()
  }
}

/** Fills an installation and returns everything about it. `store` keeps its files before time goes on. */
async function makeInstallation(folder: string, place: Place, store: () => Promise<void>) {
  const content = await withServer(folder, place, async (url) => {
    await fillRelease(askAt(url))
    return describeRelease(askAt(url))
  })
  const tables = await readTables(place)
  await store()
  const later = await withServer(folder, place, (url) => goOn(askAt(url)))
  return { content, tables, later }
}

/** Lets the command line of the release export everybody, as somebody does who moves to another release. */
function exportPeople(folder: string, place: Place, file: string): void {
  const env = { PATH: process.env.PATH, EASEL_CLOCK: releaseEnvironment.EASEL_CLOCK, ...place }
  rmSync(file, { force: true })
  execFileSync(join(folder, 'node_modules/.bin/node'), ['cli/main.ts', 'export', file], { cwd: folder, env })
}

/** Compresses as far as it goes: the file is in every checkout. */
function compress(bytes: Uint8Array): Buffer {
  const { ZSTD_c_compressionLevel, ZSTD_c_windowLog, ZSTD_c_enableLongDistanceMatching } = constants
  const params = { [ZSTD_c_compressionLevel]: 19, [ZSTD_c_windowLog]: 27, [ZSTD_c_enableLongDistanceMatching]: 1 }
  return zstdCompressSync(bytes, { params })
}

async function packed(folder: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of packTar(folder)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function main([version, given]: readonly string[]): Promise<void> {
  if (version === undefined || given === undefined) throw new Error(usage)
  const folder = resolve(given)
  assert.equal(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version, version, 'the version of FOLDER')
  assert.ok(existsSync(join(folder, 'node_modules/.bin/node')), `${folder} has no packages: run npm ci there`)
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder }).toString().trim()
  const target = join(fixtures, version)
  mkdirSync(target, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'easel-release-'))
  try {
    const embedded = { EASEL_DATA: join(work, 'data') }
    const inFiles = await makeInstallation(folder, embedded, async () => {
      cpSync(embedded.EASEL_DATA, join(work, 'copy'), { recursive: true })
      writeFileSync(join(target, 'data.tar.zst'), compress(await packed(join(work, 'copy'))))
      exportPeople(folder, embedded, join(target, 'people.jsonl.gz'))
    })
    const server = await testPostgres()
    assert.ok(server, 'PostgreSQL is installed')
    const DATABASE_URL = await server.createDatabase(`release_${randomUUID()}`)
    const inPostgres = await makeInstallation(folder, { EASEL_DATA: join(work, 'other'), DATABASE_URL }, async () => {
      const dump = ['--inserts', '--no-owner', '--no-privileges', '--schema=public', DATABASE_URL]
      const text = execFileSync(join(findPostgres()!, 'pg_dump'), dump, { maxBuffer: 2 ** 28 })
      writeFileSync(join(target, 'postgres.sql.zst'), compress(text))
    })
    const manifest = { version, commit, pglite: inFiles, postgres: inPostgres }
    writeFileSync(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

await main(process.argv.slice(2))
// The server of the tests ends with this process.
process.exit()
