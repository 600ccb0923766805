import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { testPostgres } from '../servers/postgres.ts'
import { type Environment, easel, type Folder, folderWith, keysOf, typeEasel } from '../support/command-line.ts'
import { type Database, databases, drawDatabases, type Service, startService } from '../support/harness.ts'
import { groups, many } from '../support/people.ts'
import { type Line, linesOf, peopleIn, populate, textOf, workspace } from '../support/people-lines.ts'

/** The environment of a machine with its own database, which no server uses. */
async function emptyPlace(database: Database, folder: Folder): Promise<Environment> {
  if (database === 'pglite') return { EASEL_DATA: folder.path('data') }
  const server = await testPostgres()
  assert.ok(server)
  return { DATABASE_URL: await server.createDatabase(`command_${randomUUID()}`) }
}

/** A proxy that loses the answer to the first page of people, and damages the second page. */
async function startBetween(service: Service): Promise<AsyncDisposable & { url: string }> {
  let pages = 0
  const server = createServer(async (message, response) => {
    const body = Buffer.concat(await message.toArray())
    if (message.method === 'POST') pages++
    const key = message.headers.authorization!.replace('Bearer ', '')
    const headers: Record<string, string> = pages === 3 ? { 'content-type': 'text/plain' } : {}
    const answer = await service.send(message.method!, message.url!, body.length > 0 ? body : undefined, {
      key,
      headers,
    })
    if (pages === 1) response.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function linesIn(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

for (const database of drawDatabases('command-people')) {
  /** Standard input and output of a separate process are tested on one of the databases. */
  const piping = database === databases.at(-1) ? typeEasel : easel
  describe(`easel export and import (${database})`, () => {
    test('people are exported from a running server and imported into a database unchanged', async () => {
      using folder = folderWith()
      await using service = await startService({ database, workspace })
      await populate(service)
      const file = folder.path('people.jsonl.gz')
      const exported = await easel(['export', file], keysOf(service))
      assert.deepEqual([exported.code, exported.out], [0, ''], exported.err)
      assert.equal(exported.err, `7 people written to ${file}, 9 lines.\n`)
      assert.ok(!existsSync(`${file}.part`))
      const text = gunzipSync(readFileSync(file)).toString()
      assert.equal(text, textOf(await linesOf(service)))

      const place = {
        ...(await emptyPlace(database, folder)),
        EASEL_API_KEY: 'k'.repeat(32),
        EASEL_ADMIN_TOKEN: 't'.repeat(32),
        EASEL_SCIM_TOKEN: 's'.repeat(32),
      }
      const planned = await easel(['import', file, '--plan'], place)
      assert.equal(planned.code, 0, planned.err)
      assert.match(
        planned.err,
        /^\+ apps Phone app\n.*\+ subscription_groups Bygone\n7 people would be imported, 0 exist/s,
      )
      const imported = await easel(['import', file], place)
      assert.deepEqual([imported.code, imported.out], [0, ''], imported.err)
      assert.match(
        imported.err,
        /\+ subscription_groups Bygone\n7 people imported, 0 exist already, 0 lines skipped\.\n/,
      )
      assert.match(imported.err, /\n5 states of addresses not imported: /)
      const back = await piping(['export', '-'], place)
      assert.equal(back.code, 0, back.err)
      assert.equal(textOf(peopleIn(linesIn(back.out))), textOf(peopleIn(linesIn(text))))
      assert.equal(back.err, '7 people written to -, 9 lines.\n')

      const again = await easel(['import', file, '--from', '4'], place)
      assert.match(again.err, /^0 people imported, 5 exist already, 0 lines skipped\.\n/)
      const piped = await piping(['import', '-'], place, readFileSync(file))
      assert.match(piped.err, /^0 people imported, 7 exist already, 0 lines skipped\.\n/)
      assert.equal((await easel(['export', '-'], place)).out, back.out)
    })

    test('lines that cannot be imported are listed, and the others are imported', async () => {
      using folder = folderWith()
      await using service = await startService({
        database,
        workspace: { subscription_groups: [{ ...groups.news, id: 'other' }] },
      })
      const profile = { random_bucket: 1, created_at: '2024-01-01T00:00:00Z', updated_at: '2024-01-01T00:00:00Z' }
      const person = (n: number) => n.toString(16).padStart(16, '0')
      const state = { group_id: groups.news.id, state: 'subscribed', stamp: profile.created_at }
      const lines = [
        { easel: 'people', version: 1, subscription_groups: [groups.news, groups.alerts] },
        { person: person(1), profile, groups: [state] },
        { person: person(2), profile: { ...profile, email: 'no address' } },
        { person: person(3), part: 2, more: true },
        { person: person(3), part: 3 },
        ...many(300, (n) => ({ person: person(n + 10), profile: { ...profile, external_id: `id-${n}` } })),
      ]
      const text = textOf(lines).replace('\n', '\r\n').replace(/\n$/, '\nno json\n')
      writeFileSync(folder.path('people.jsonl'), text)
      const ran = await easel(['import', folder.path('people.jsonl'), '--url', service.url], keysOf(service))
      assert.equal(ran.code, 1)
      assert.equal(
        ran.err,
        [
          `subscription_groups News: the name is taken here, so ${groups.news.id} is not created.`,
          '+ subscription_groups Alerts',
          'line 3: profile.email is not valid',
          'line 4: its first part is missing: continue at an earlier line',
          'line 306: is not a JSON object',
          '301 people imported, 0 exist already, 3 lines skipped.',
          `Subscription group ${groups.news.id} does not exist here: its states are not imported.`,
          `The refused lines are in ${folder.path('people.refused.jsonl')}: correct them and import that file.`,
          '',
        ].join('\n'),
      )
      // The file of refused lines has the head, and all lines of a person who was refused.
      const refused = readFileSync(folder.path('people.refused.jsonl'), 'utf8').split('\n')
      assert.deepEqual(refused, [...[0, 2, 3, 4].map((i) => textOf([lines[i]]).trimEnd()), 'no json', ''])
    })

    test('an import that is stopped says where to continue, and a page without an answer is imported once', async () => {
      using folder = folderWith()
      await using service = await startService({ database })
      const moments = { created_at: '2024-01-01T00:00:00Z', updated_at: '2024-01-01T00:00:00Z' }
      const lines = many(450, (n) => {
        const person = (BigInt(n + 1) << 48n).toString(16).padStart(16, '0')
        return { person, profile: { random_bucket: n, ...moments }, events: [{ name: 'e', time: moments.created_at }] }
      })
      writeFileSync(folder.path('people.jsonl'), textOf([{ easel: 'people', version: 1 }, ...lines]))
      await using between = await startBetween(service)
      const args = ['import', folder.path('people.jsonl')]
      const stopped = await easel([...args, '--url', between.url], keysOf(service))
      assert.equal(stopped.code, 1)
      assert.equal(
        stopped.err,
        'Stopped: the same command continues at line 202\n' + 'Content-Type must be application/json\n',
      )
      const rest = await easel([...args, '--url', service.url, '--from', '202'], keysOf(service))
      assert.deepEqual([rest.code, rest.err], [0, '250 people imported, 0 exist already, 0 lines skipped.\n'])
      const read = peopleIn(await linesOf(service))
      assert.deepEqual(
        read.map(({ person, events }) => [person, events.length]),
        lines.map(({ person }) => [person, 1]),
      )
    })
  })
}
