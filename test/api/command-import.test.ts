import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { zipSync } from 'fflate'
import { easel, folderWith, keysOf, typeEasel } from '../support/command-line.ts'
import { download, overOf, segmentOf } from '../support/exports.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { ago, many } from '../support/people.ts'
import { recordOf, textOf, workspace } from '../support/people-lines.ts'

const time = ago(3_600_000)
const settings = {
  rate_limits: { export_ids: 'unlimited' },
  reserved_external_ids: ['taken'],
  reserved_ids_partial: false,
}

/**
 * A way to a server on which the answers to requests are lost, or that refuses them. `fate` says so by the line at which the request
 * begins, 0 for others, and how often it came.
 */
async function startWay(service: Service, fate: (line: number, times: number) => 'lost' | 'refused' | undefined) {
  const counts = new Map<number, number>()
  const server = createServer(async (message, response) => {
    const body = Buffer.concat(await message.toArray())
    const name = 'idempotency-key'
    const sent = message.headers[name] as string | undefined
    const line = Number(/-(\d+)-\d+$/.exec(sent ?? '')?.[1] ?? 0)
    const times = (counts.get(line) ?? 0) + 1
    counts.set(line, times)
    const outcome = fate(line, times)
    if (outcome === 'refused') {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"not now"}')
      return
    }
    const answer = await service.post(message.url!, body, { headers: sent === undefined ? {} : { [name]: sent } })
    if (outcome === 'lost') response.destroy()
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

async function eventsOf(service: Service, external_id: string): Promise<number> {
  return (await recordOf(service, { external_ids: [external_id] })).custom_events[0].count
}

for (const database of drawDatabases('command-import')) {
  describe(`easel import of large files (${database})`, () => {
    test('refused lines are written as they are, corrected and imported', async () => {
      using folder = folderWith()
      await using service = await startService({ database, workspace: { ...workspace, settings } })
      const rows = [
        'external_id;email;note',
        'a;a@example.com;"one\nnote; of two lines"',
        'b;no address;"zwei ""Wörter"""',
        '',
        'taken;t@example.com;x',
        'c;"c@example.com"x;y',
        'd;d@example.com',
        'e;e@example.com;z',
      ]
      const file = folder.path('people.csv')
      writeFileSync(file, rows.join('\r\n'))
      const ran = await easel(['import', file], keysOf(service))
      assert.equal(ran.code, 1)
      const refused = folder.path('people.refused.csv')
      assert.equal(
        ran.err,
        [
          'Columns: "external_id" -> external_id, "email" -> email, "note" -> custom.note',
          "line 4: The value provided for the 'email' field is not a valid email.",
          'line 6: provided external_id is blacklisted and disallowed',
          'line 7: has text between a closing quote and the next delimiter',
          'line 8: has 2 fields where the first line has 3',
          '2 of 6 objects imported, 4 refused.',
          `The refused lines are in ${refused}: correct them and import that file.`,
          '',
        ].join('\n'),
      )
      assert.equal(readFileSync(refused, 'utf8'), [rows[0], rows[2], rows[4], rows[5], rows[6], ''].join('\n'))
      assert.equal(statSync(refused).mode & 0o777, 0o600)
      const reasons = readFileSync(`${refused}.reasons.jsonl`, 'utf8').trimEnd().split('\n')
      assert.deepEqual(
        reasons.map((line) => JSON.parse(line).line),
        [4, 6, 7, 8],
      )
      assert.ok(!existsSync(`${file}.progress`))
      // The other objects of a request with a reserved id were sent again.
      for (const id of ['a', 'e']) assert.equal((await recordOf(service, { external_ids: [id] })).external_id, id)
      const again = await easel(['import', refused], keysOf(service))
      assert.match(
        again.err,
        /\n0 of 4 objects imported, 4 refused\.\nThe refused lines are in .*people\.refused\.refused\.csv: /,
      )
      const corrected = readFileSync(refused, 'utf8')
        .replace('no address', 'b@example.com')
        .replace('taken', 'free')
        .replace('"x;', '";')
        .replace('d@example.com', 'd@example.com;')
      writeFileSync(refused, corrected)
      const done = await easel(['import', refused], keysOf(service))
      assert.deepEqual([done.code, /\n4 of 4 objects imported, 0 refused\.\n$/.test(done.err)], [0, true], done.err)
      assert.equal((await recordOf(service, { external_ids: ['b'] })).custom_attributes.note, 'zwei "Wörter"')
      const names = readdirSync(folder.path('.')).sort()
      const kept = ['people.csv', 'people.refused.csv', 'people.refused.refused.csv']
      assert.deepEqual(names, [...kept, `${kept[1]}.reasons.jsonl`, `${kept[2]}.reasons.jsonl`].sort())
    })

    test('refused lines of JSON go to a named file, and in an encoding they become UTF-8', async () => {
      using folder = folderWith()
      await using service = await startService({ database })
      const lines = [
        '{"events": {"external_id": "a"}}',
        'no json',
        '{"attributes":{"external_id":"a","big":12345678901234567890}}',
      ]
      writeFileSync(folder.path('lines.jsonl'), lines.join('\n'))
      const wanted = folder.path('wrong.jsonl')
      const ran = await easel(['import', folder.path('lines.jsonl'), '--refused', wanted], keysOf(service))
      assert.match(
        ran.err,
        /^line 1: .*\nline 2: is not a JSON object\n1 of 3 objects imported, 2 refused\.\nThe refused lines are in /,
      )
      assert.equal(readFileSync(wanted, 'utf8'), `${lines[0]}\n${lines[1]}\n`)
      const taken = await easel(['import', folder.path('lines.jsonl'), '--refused', wanted], keysOf(service))
      assert.deepEqual([taken.code, taken.err], [2, `--refused: ${wanted} exists already: name another file.\n`])
      writeFileSync(folder.path('latin.csv'), Buffer.from('external_id,email,größe\n1,no address,ü\n', 'latin1'))
      const latin = ['--encoding', 'windows-1252']
      await easel(['import', folder.path('latin.csv'), ...latin], keysOf(service))
      const written = readFileSync(folder.path('latin.refused.csv'), 'utf8')
      assert.equal(written, '\ufeffexternal_id,email,größe\n1,no address,ü\n')
      writeFileSync(folder.path('latin.refused.csv'), written.replace('no address', 'u@example.com'))
      assert.equal((await easel(['import', folder.path('latin.refused.csv'), ...latin], keysOf(service))).code, 0)
      assert.equal((await recordOf(service, { external_ids: ['1'] })).custom_attributes.größe, 'ü')
    })

    test('an interrupted import continues with the same command, and no event is doubled although answers were lost', async () => {
      using folder = folderWith()
      await using service = await startService({ database, workspace: { settings } })
      const lines = many(3_500, (i) =>
        i % 700 === 1
          ? { events: { external_id: `p${i}`, time } }
          : { events: { external_id: i % 10 === 0 ? `r${Math.floor(i / 1_000)}` : `p${i}`, name: 'e', time } },
      )
      const file = folder.path('events.jsonl')
      writeFileSync(file, textOf(lines))
      // The first answer comes. The second and third request are applied, but their answers are lost, and then they are refused.
      let isOver = false
      await using way = await startWay(service, (line, times) => {
        if (isOver || line <= 1) return undefined
        return line <= 2001 && times === 1 ? 'lost' : 'refused'
      })
      const stopped = await easel(['import', file, '--url', way.url], keysOf(service))
      assert.equal(stopped.code, 1)
      assert.match(
        stopped.err,
        /\nStopped: the same command continues at line 1001\nthe server at .* answered 401: not now\n$/,
      )
      const refused = folder.path('events.refused.jsonl')
      const refusedLines = textOf(lines.filter((_, i) => i % 700 === 1))
      assert.equal(readFileSync(refused, 'utf8'), `${refusedLines.split('\n').slice(0, 2).join('\n')}\n`)

      const other = await easel(['import', file, '--url', service.url], keysOf(service))
      assert.equal(other.code, 2)
      assert.match(
        other.err,
        /^The options or the server are not the same since .* at line 1001: --restart .*, --from 1001 /,
      )
      const stored = readFileSync(`${file}.progress`, 'utf8')
      writeFileSync(`${file}.progress`, stored.replace(/"file":"../, '"file":"zz'))
      const changed = await easel(['import', file, '--url', way.url], keysOf(service))
      assert.match(changed.err, /^The file has changed since an import of this file was interrupted at line 1001: /)
      writeFileSync(`${file}.progress`, '{}')
      const foreign = await easel(['import', file, '--url', way.url], keysOf(service))
      assert.match(
        foreign.err,
        /events\.jsonl\.progress exists, and it is not the progress of an import: move it away\.\n$/,
      )
      writeFileSync(`${file}.progress`, stored)

      isOver = true
      const proxied = await typeEasel(['import', file, '--url', way.url], keysOf(service))
      assert.equal(proxied.code, 1)
      assert.match(proxied.err, /^Continuing at line 1,001 \(--restart begins anew\)\.\n/)
      assert.match(proxied.err, /\n2,497 of 2,500 objects imported, 3 refused\.\n/)
      assert.equal(readFileSync(refused, 'utf8'), refusedLines)
      assert.ok(!existsSync(`${file}.progress`))
      for (const id of ['r0', 'r1', 'r2']) assert.equal(await eventsOf(service, id), 100)
      for (const id of ['p2', 'p999', 'p1003', 'p2999', 'p3499']) assert.equal(await eventsOf(service, id), 1)
    })

    test('objects about one person take effect in the order of the file, in however many requests', async () => {
      using folder = folderWith()
      await using service = await startService({ database })
      const lines = many(2_600, (i) =>
        i % 13 === 0
          ? { attributes: { external_id: 'same', step: i, list: { add: [`v${i}`] } } }
          : { attributes: { external_id: `p${i}`, step: i } },
      )
      lines.push({ attributes: { external_id: 'same', step: -1, list: null } } as never)
      writeFileSync(folder.path('steps.jsonl'), textOf(lines))
      const ran = await easel(['import', folder.path('steps.jsonl')], keysOf(service))
      assert.equal(ran.code, 0, ran.err)
      const { custom_attributes } = await recordOf(service, { external_ids: ['same'] })
      assert.deepEqual(custom_attributes, { step: -1 })
      // An event does not create a person who only a later line describes.
      const only = { external_id: 'later', _update_existing_only: true }
      writeFileSync(
        folder.path('order.jsonl'),
        textOf([{ events: { ...only, name: 'e', time } }, { attributes: { external_id: 'later' } }]),
      )
      assert.equal((await easel(['import', folder.path('order.jsonl')], keysOf(service))).code, 0)
      assert.equal((await recordOf(service, { external_ids: ['later'] })).custom_events, undefined)
    })

    test('the files of an export of a segment are imported from its zip, and from a folder', async () => {
      using folder = folderWith()
      const segments = [segmentOf('everybody', 'n', -1, 'greater_than')]
      await using service = await startService({ database, workspace: { segments } })
      const attributes = many(40, (n) => ({ external_id: `z${n}`, first_name: `Zoë ${n}`, n }))
      await service.post('/users/track', { attributes })
      const asked = {
        segment_id: 'everybody',
        callback_endpoint: 'http://127.0.0.1:1/',
        fields_to_export: ['external_id', 'first_name', 'custom_attributes'],
      }
      const exported = await service.post('/users/export/segment', { ...asked, output_format: 'zip' })
      assert.equal(exported.status, 201, exported.text)
      const { url } = await overOf(exported.body.object_prefix, async () => {
        const { body } = await service.get('/admin/exports', { key: service.adminToken })
        return body.exports
      })
      const { bytes } = await download(service.url, url ?? exported.body.url)
      writeFileSync(folder.path('all.zip'), bytes)
      await using other = await startService({ database })
      const ran = await easel(['import', folder.path('all.zip')], keysOf(other))
      assert.deepEqual([ran.code, ran.err], [0, '40 people imported, 0 exist already, 0 lines skipped.\n'])
      const { first_name, custom_attributes } = await recordOf(other, { external_ids: ['z7'] })
      assert.deepEqual([first_name, custom_attributes], ['Zoë 7', { n: 7 }])

      mkdirSync(folder.path('parts/day'), { recursive: true })
      const line = (id: string, more: object = {}) => JSON.stringify({ external_id: id, ...more })
      writeFileSync(folder.path('parts/a.txt'), `${line('f1')}\n${line('f2')}`)
      const zipped = {
        'x/': new Uint8Array(),
        'x/1.txt': Buffer.from(`${line('f3')}\n`),
        'x/2.txt': Buffer.from(line('f4')),
      }
      writeFileSync(folder.path('parts/b.zip'), zipSync(zipped))
      writeFileSync(folder.path('parts/day/c.txt'), `${line('f5')}\n${line('f6', { email: 'no address' })}\n`)
      const parts = await easel(['import', `${folder.path('parts')}/`], keysOf(other))
      assert.match(
        parts.err,
        /^day\/c\.txt line 2: The value .*\n5 people imported, 0 exist already, 1 lines skipped\.\nThe refused.*parts\.refused\.jsonl/,
      )
      const reasons = JSON.parse(readFileSync(`${folder.path('parts.refused.jsonl')}.reasons.jsonl`, 'utf8'))
      assert.deepEqual([reasons.file, reasons.line], ['day/c.txt', 2])
      for (const id of ['f1', 'f4', 'f5']) assert.equal((await recordOf(other, { external_ids: [id] })).external_id, id)

      const whole = readFileSync(folder.path('all.zip'))
      for (const [name, length] of [
        ['entry', 40],
        ['directory', whole.length - 30],
      ] as const) {
        writeFileSync(folder.path(`${name}.zip`), whole.subarray(0, length))
        const cut = await easel(['import', folder.path(`${name}.zip`)], keysOf(other))
        assert.deepEqual([cut.code, /is not a complete zip\n$/.test(cut.err)], [1, true], cut.err)
      }
      mkdirSync(folder.path('tables'))
      for (const name of ['a.csv', 'b.csv']) writeFileSync(folder.path(`tables/${name}`), 'external_id\nx\n')
      const tables = await easel(['import', folder.path('tables')], keysOf(other))
      assert.deepEqual([tables.code, /There are several tables/.test(tables.err)], [2, true], tables.err)
      mkdirSync(folder.path('none'))
      assert.match((await easel(['import', folder.path('none')], keysOf(other))).err, /none has no files\.\n$/)
    })
  })
}
