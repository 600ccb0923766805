import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import { newDatabase } from '../servers/template.ts'
import { long, seed, sizes } from '../sizes.ts'
import { type Ran, typeEasel } from '../support/command-line.ts'
import { drawDatabases, ownEnvironment, ownFlags, programFile, type Spawned, spawnService } from '../support/harness.ts'
import { ago, many } from '../support/people.ts'
import { textOf } from '../support/people-lines.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const rows = sizes.rowsAtImport
/** Two of three requests in flight share people, so that some wait for others. */
const people = 2_500
/** Every so many lines one is refused. */
const refusedEvery = 997
/** A server applies a request in about this time. */
const killMsMax = 300
const idsPerRequest = 50
const time = ago(3_600_000)

/** An address that stays the same while servers come and go behind it. It tells when requests to import arrive. */
async function startFront() {
  let target = Promise.withResolvers<string>()
  let requests = 0
  let passing = { most: Number.POSITIVE_INFINITY, ...Promise.withResolvers<void>() }
  const waiting: { after: number; arrived(): void }[] = []
  const server = createServer(async (message, response) => {
    try {
      const body = Buffer.concat(await message.toArray())
      requests++
      const { most, promise: opened } = passing
      const isHeld = requests > most
      for (const { after, arrived } of waiting) if (requests >= after) arrived()
      if (isHeld) await opened
      const { host: _, connection: __, ...headers } = message.headers as Record<string, string>
      const answer = await fetch((await target.promise) + message.url, { method: message.method!, headers, body })
      const bytes = Buffer.from(await answer.arrayBuffer())
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(bytes)
    } catch {
      // The server or the command was killed: there is no answer.
      response.destroy()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lead(url: string) {
      target.resolve(url)
    },
    /** Holds all requests after so many further ones back, until `pass`. */
    hold(further: number) {
      passing = { most: requests + further, ...Promise.withResolvers<void>() }
    },
    pass() {
      passing.most = Number.POSITIVE_INFINITY
      passing.resolve()
    },
    leadNowhere() {
      target = Promise.withResolvers()
    },
    /** Resolves when so many further requests have arrived. */
    arrival(further: number): Promise<void> {
      return new Promise((arrived) => waiting.push({ after: requests + further, arrived }))
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

for (const database of drawDatabases('kills at an import')) {
  test(`${rows} lines are imported once although the command and the server are killed (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const { path: folder } = stack.use(temporaryFolder())
    const front = stack.use(await startFront())
    const env: Record<string, string> =
      database === 'postgres' ? { DATABASE_URL: await newDatabase('killed_import') } : {}
    const start = async (): Promise<Spawned> => {
      const service = stack.use(await spawnService({ dataDir, env }))
      front.lead(service.url)
      return service
    }
    let service = await start()
    const keys = { PORT: String(front.port), EASEL_API_KEY: service.apiKey, EASEL_DATA: join(folder, 'none') }
    const lines = many(rows, (i): Record<string, Record<string, unknown>> => {
      const who = { external_id: `p${i % people}` }
      if (i % refusedEvery === 1) return { events: { ...who, time } }
      return i % 5 === 0 ? { attributes: { ...who, visits: { inc: 1 } } } : { events: { ...who, name: 'e', time } }
    })
    const file = join(folder, 'lines.jsonl')
    writeFileSync(file, textOf(lines))

    const arrived = front.arrival(2)
    front.hold(3)
    const killed = spawn(process.execPath, [...ownFlags, programFile('cli/main.ts'), 'import', file], {
      env: { ...ownEnvironment, ...keys },
      stdio: 'ignore',
    })
    const ended = once(killed, 'close')
    await arrived
    await pause(chance.below(killMsMax))
    killed.kill('SIGKILL')
    await ended
    front.pass()
    assert.ok(existsSync(`${file}.progress`), 'the command was killed before its end')

    const again = front.arrival(2)
    const finishing = typeEasel(['import', file], keys)
    await again
    await pause(chance.below(killMsMax))
    front.leadNowhere()
    await service.kill('SIGKILL')
    service = await start()
    const { code, err } = await finishing
    assert.equal(code, 1, err)
    assert.match(err, /^Continuing at line [\d,]+ /)

    const refused = lines.filter((_, i) => i % refusedEvery === 1)
    assert.equal(readFileSync(join(folder, 'lines.refused.jsonl'), 'utf8'), textOf(refused))
    assert.equal(
      readFileSync(join(folder, 'lines.refused.jsonl.reasons.jsonl'), 'utf8').split('\n').length,
      refused.length + 1,
    )
    const expected = new Map<string, [events: number, visits: number]>()
    for (const line of lines) {
      const [, { external_id, name, visits }] = Object.entries(line)[0]!
      const counts = expected.get(String(external_id)) ?? [0, 0]
      if (name !== undefined) counts[0]++
      if (visits !== undefined) counts[1]++
      expected.set(String(external_id), counts)
    }
    assert.deepEqual(
      await countsOf(service, [...expected.keys()]),
      new Map([...expected].filter(([, [e, v]]) => e + v > 0)),
    )
  })
}

/** Returns the counts of events and visits of people by their external_id. */
async function countsOf(service: Spawned, ids: readonly string[]): Promise<Map<string, [number, number]>> {
  const open = { settings: { rate_limits: { export_ids: 'unlimited' } } }
  const applied = await service.post('/admin/apply', open, { key: service.adminToken })
  assert.equal(applied.status, 200, applied.text)
  const counts = new Map<string, [number, number]>()
  for (let at = 0; at < ids.length; at += idsPerRequest) {
    const { status, text, body } = await service.post('/users/export/ids', {
      external_ids: ids.slice(at, at + idsPerRequest),
      fields_to_export: ['external_id', 'custom_attributes', 'custom_events'],
    })
    assert.equal(status, 201, text)
    for (const { external_id, custom_attributes, custom_events } of body.users)
      counts.set(external_id, [custom_events?.[0]?.count ?? 0, custom_attributes?.visits ?? 0])
  }
  return counts
}

for (const database of drawDatabases('speed of an import')) {
  test(`${rows} lines of a table and of events are imported completely (${database})`, {
    skip: !long && 'it runs in the long run',
  }, async (t) => {
    using folder = temporaryFolder()
    await using service = await spawnService({ database })
    const keys = { PORT: new URL(service.url).port, EASEL_API_KEY: service.apiKey, EASEL_DATA: 'memory' }
    const head = 'external_id,first_name,last_name,email,country,language,plan,visits,score,vip,signed_up,note\n'
    const row = (i: number) =>
      `p${i},First ${i},Last,p${i}@example.com,DE,de,gold,${i},${i / 4},true,2024-01-02,"some, note ${i}"\n`
    const files = {
      'people.csv': head + many(rows, row).join(''),
      'events.jsonl': textOf(many(rows, (i) => ({ events: { external_id: `p${i}`, name: 'e', time } }))),
    }
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder.path, name)
      writeFileSync(path, text)
      const [startMs, startCpu] = [performance.now(), cpuSecondsOf(service.pid)]
      const ran: Ran = await typeEasel(['import', path], keys)
      assert.equal(ran.code, 0, ran.err)
      const perMinute = Math.round((rows * 60_000) / (performance.now() - startMs))
      const cpu = (cpuSecondsOf(service.pid) - startCpu).toFixed(1)
      t.diagnostic(`${name}: ${perMinute} rows a minute, ${cpu} s of CPU of the server`)
    }
    const ids = many(20, (i) => `p${Math.floor((i * rows) / 20)}`)
    for (const [events] of (await countsOf(service, ids)).values()) assert.equal(events, 1)
  })
}

/** Returns the CPU time of a process and its threads. */
function cpuSecondsOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) / 100
}
