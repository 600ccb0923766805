import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { serve } from '../support/fetchers.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Item, newId } from '../support/people.ts'

const path = '/media_library/create'
const mediaMax = 1_000
const allBytesMax = 256 * 1_048_576
const bytesMax = 5 * 1_048_576

const beginnings = {
  png: Buffer.from('89504e470d0a1a0a', 'hex'),
  jpg: Buffer.from('ffd8ffe0', 'hex'),
  gif: Buffer.from('GIF89a'),
  pdf: Buffer.from('%PDF-1.7'),
} as const
type Extension = keyof typeof beginnings

const types = { png: 'image/png', jpg: 'image/jpeg', gif: 'image/gif', pdf: 'application/pdf' } as const

/** Returns a new file, of exactly this many bytes. */
function newFile(extension: Extension = 'png', bytes = 64): Buffer {
  const begun = Buffer.concat([beginnings[extension], Buffer.from(newId('file'))])
  return Buffer.concat([begun, Buffer.alloc(bytes - begun.length)])
}

const hashOf = (file: Buffer) => createHash('sha256').update(file).digest('hex')

for (const database of drawDatabases('media-library')) {
  describe(`the media library (${database})`, () => {
    let service: Service
    let db: Db
    let server: Awaited<ReturnType<typeof serve>>
    const served = new Map<string, Buffer>()
    before(async () => {
      server = await serve(({ url = '' }, response) => {
        const file = served.get(url)
        response.writeHead(file ? 200 : 404).end(file)
      })
      service = await startService({
        database,
        env: { EASEL_FETCH_ALLOW: `127.0.0.1:${server.port}`, PUBLIC_URL: 'https://mail.example.com' },
        opened: (opened) => {
          db = opened
        },
      })
    })
    after(async () => {
      await service[Symbol.asyncDispose]()
      await server.close()
    })

    const create = (body: unknown) => service.post(path, body)
    const sent = (file: Buffer, more: Item = {}) => create({ asset_file: file.toString('base64'), ...more })
    const fetched = (file: Buffer, at = `/${newId()}`, more: Item = {}) => {
      served.set(at, file)
      return create({ asset_url: server.url + at, ...more })
    }
    const asAdmin = (method: string, at: string, body?: unknown) =>
      service.send(method, at, body, { key: service.adminToken })
    const shown = async (file: string) => {
      const { status, headers } = await service.get(`/media/${file}`, { key: null })
      return { status, headers }
    }

    test('files of every type are stored and served at an address of their own', async () => {
      for (const ext of ['png', 'jpg', 'gif', 'pdf'] as const) {
        const file = newFile(ext)
        const name = newId('Picture')
        const answer = await sent(file, { name })
        assert.equal(answer.status, 200, answer.text)
        const own = `${hashOf(file)}.${ext}`
        const asset = { name, size: file.length, url: `https://mail.example.com/media/${own}`, ext }
        assert.deepEqual(answer.body, { new_assets: [asset], message: 'success' })
        // The first read comes from the database, the second from memory.
        for (let i = 0; i < 2; i++) {
          const response = await fetch(`${service.url}/media/${own}`)
          assert.deepEqual(Buffer.from(await response.arrayBuffer()), file)
        }
        const { status, headers } = await shown(own)
        assert.equal(status, 200)
        assert.equal(headers['content-type'], types[ext])
        assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
        assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox; frame-ancestors 'none'")
        assert.equal(headers['x-content-type-options'], 'nosniff')
        const disposition = ext === 'pdf' ? `attachment; filename="${own}"` : undefined
        assert.equal(headers['content-disposition'], disposition)
        const other = ext === 'png' ? 'gif' : 'png'
        assert.equal((await shown(`${hashOf(file)}.${other}`)).status, 404)
      }
      for (const file of ['a.png', `${'0'.repeat(64)}.png`, `${'0'.repeat(64)}.svg`, 'constructor']) {
        assert.equal((await shown(file)).status, 404, file)
      }
    })

    test('a file is named by the request, by its URL or by its hash, and is stored once', async () => {
      const file = newFile()
      const nameOf = async (answer: Promise<{ body: { new_assets: Item[] } }>) =>
        (await answer).body.new_assets[0]!.name
      assert.equal(await nameOf(fetched(file, '/files/cat%20one.png?size=2')), 'cat%20one.png')
      assert.equal(await nameOf(fetched(file, '/')), `${hashOf(file)}.png`)
      assert.equal(await nameOf(sent(file)), `${hashOf(file)}.png`)
      assert.equal(await nameOf(sent(file, { name: 'Cat', app_group_id: 'a', asset_url: null })), 'Cat')
      const rows = await db.query<{ name: string }>(sql`select name from media where hash = ${hashOf(file)}`)
      assert.deepEqual(rows, [{ name: 'Cat' }])
    })

    test('what is no file is refused', async () => {
      const [tooLong, url] = ['n'.repeat(256), `${server.url}/missing.png`]
      const asset_file = newFile().toString('base64')
      const badName = "'name' must be one line of 1 to 255 characters"
      const badType = 'The file must be one of png, jpg, gif, pdf, by its first bytes'
      const unsupported = 'UNSUPPORTED_FILE_TYPE'
      const failed = 'ASSET_UPLOAD_FAILED'
      const base64 = (text: string) => Buffer.from(text).toString('base64')
      const cases: readonly [body: unknown, message: string | RegExp, code?: string][] = [
        [{}, 'Either asset_url or asset_file must be provided.'],
        [{ asset_url: url, asset_file }, 'Both asset_url and asset_file cannot be provided. Please provide only one.'],
        [{ asset_url: 5 }, "'asset_url' must be a string"],
        [{ asset_file: 5 }, "'asset_file' must be a file in base64"],
        [{ asset_file: 'a?b' }, "'asset_file' must be a file in base64"],
        [{ asset_file, name: tooLong }, badName],
        [{ asset_file, name: ' ' }, badName],
        [{ asset_file, name: 'a\nb' }, badName],
        [{ asset_file, name: 5 }, badName],
        [{ asset_file: '' }, badType, unsupported],
        [{ asset_file: base64('<svg xmlns="http://www.w3.org/2000/svg"/>') }, badType, unsupported],
        [{ asset_file: base64('<html><script>alert(1)</script>') }, badType, unsupported],
        [{ asset_url: url }, "'asset_url' could not be fetched: it answered with 404", failed],
        [{ asset_url: 'file:///etc/passwd' }, /^'asset_url' could not be fetched: /, failed],
        [{ asset_url: 'http://169.254.169.254/a.png' }, /its address is not a public one$/, failed],
      ]
      for (const [body, message, code] of cases) {
        const answer = await create(body)
        const what = JSON.stringify(body).slice(0, 100)
        assert.deepEqual([answer.status, answer.body.error_code], [400, code], `${what}: ${answer.text}`)
        if (typeof message === 'string') assert.equal(answer.body.message, message, what)
        else assert.match(answer.body.message, message, what)
      }
      for (const length of [254, 255]) assert.equal((await sent(newFile(), { name: 'n'.repeat(length) })).status, 200)
    })

    test('a file has at most 5 MiB', async () => {
      for (const bytes of [bytesMax - 1, bytesMax]) {
        const { status, body, text } = await fetched(newFile('jpg', bytes))
        assert.deepEqual([status, body.new_assets?.[0].size], [200, bytes], text)
      }
      const { status, body } = await fetched(newFile('jpg', bytesMax + 1))
      assert.deepEqual([status, body.error_code], [400, 'ASSET_SIZE_EXCEEDS_LIMIT'])
    })

    test('administrators list files, newest first', async () => {
      await db.query(sql`delete from media`)
      const list = (query = '') => asAdmin('GET', `/admin/media${query}`)
      assert.deepEqual((await list()).body, { media: [], message: 'success' })
      for (const ext of ['png', 'pdf', 'gif'] as const)
        assert.equal((await sent(newFile(ext), { name: ext })).status, 200)
      const { status, body } = await list()
      assert.equal(status, 200)
      const order = ({ created_at, id }: Item) => `${created_at} ${id}`
      assert.deepEqual(
        body.media.map(order),
        body.media.map(order).toSorted((a: string, b: string) => (a < b ? 1 : -1)),
      )
      assert.deepEqual(body.media.map(({ name }: Item) => name).toSorted(), ['gif', 'pdf', 'png'])
      assert.equal(body.cursor, undefined)
      const pages = []
      for (let query = '?limit=1'; ; ) {
        const page = (await list(query)).body
        pages.push(...page.media)
        if (page.cursor === undefined) break
        query = `?limit=1&cursor=${page.cursor}`
      }
      assert.deepEqual(pages, body.media)
      const { id, ext, created_at } = body.media[0]
      const path = `/media/${id}.${ext}`
      const url = `https://mail.example.com${path}`
      assert.deepEqual(body.media[0], { id, name: ext, ext, url, path, bytes: 64, created_at })
      assert.equal((await shown(`${id}.${ext}`)).status, 200)
      for (const query of ['?limit=0', '?limit=101', '?cursor=x', '?cursor=MS54']) {
        assert.equal((await list(query)).status, 400, query)
      }
      assert.equal((await list('?workspace=nowhere')).status, 404)
    })

    test('an administrator stores a file, and the audit says so', async () => {
      const file = newFile('jpg')
      const body = { asset_file: file.toString('base64'), name: 'Cat' }
      const answer = await asAdmin('POST', '/admin/media', body)
      assert.equal(answer.status, 201, answer.text)
      const { id, url, created_at } = answer.body.file
      assert.equal(id, hashOf(file))
      assert.equal(url, `https://mail.example.com/media/${id}.jpg`)
      const again = await asAdmin('POST', '/admin/media', { ...body, name: 'Dog' })
      assert.deepEqual(again.body.file, { ...answer.body.file, name: 'Dog', created_at })
      const { media } = (await service.admin('GET', '/admin/media?limit=100')).body
      assert.deepEqual(
        media.filter((each: Item) => each.id === id),
        [again.body.file],
      )
      const { audit } = (await service.admin('GET', `/admin/audit?request_id=${answer.headers['x-request-id']}`)).body
      const change = audit.find(({ kind }: Item) => kind === 'change')
      assert.deepEqual([change.action, change.target], ['media.create', { kind: 'media', id, name: 'Cat' }])
      const refused = await asAdmin('POST', '/admin/media', { asset_file: 'AAAA' })
      assert.deepEqual([refused.status, refused.body.error_code], [400, 'UNSUPPORTED_FILE_TYPE'])
    })

    test('reading and storing files takes the abilities of templates', async () => {
      const statuses = async (...appGroupPermissions: string[]) => {
        const permissions = { appGroup: [{ appGroupName: 'Default', appGroupPermissions }] }
        const one = await signIn(service, db, await makeAccount(db, permissions))
        // The cookies of an https address have another name.
        const headers = { ...one.headers, cookie: `__Host-${one.headers.cookie}` }
        const asset_file = newFile().toString('base64')
        const answers = [
          await one.send('GET', '/admin/media', undefined, { headers }),
          await one.send('POST', '/admin/media', { asset_file }, { headers }),
        ]
        return answers.map(({ status }) => status)
      }
      assert.deepEqual(await statuses('view_segments'), [403, 403])
      assert.deepEqual(await statuses('view_email_templates'), [200, 403])
      assert.deepEqual(await statuses('edit_email_templates'), [200, 201])
    })

    test('a workspace has a limited number of files, and of bytes in them', async () => {
      const leave = async (files: number, bytes: number) => {
        await db.query(sql`delete from media`)
        await db.query(sql`
          insert into media (hash, workspace_id, extension, name, size, content, created_at)
          select 'made-' || n, (select workspace_id from workspace limit 1), 'png', 'made',
            case when n = 1 then ${allBytesMax - bytes}::int - ${mediaMax - files}::int + 1 else 1 end, '', '2030-01-01'
          from generate_series(1, ${mediaMax - files}::int) n`)
      }
      const statuses = async (...files: Buffer[]) => {
        const answers = []
        for (const file of files) answers.push(await sent(file))
        return answers.map(({ status, body }) => body.error_code ?? status)
      }
      const [one, two, three] = [newFile(), newFile(), newFile()]
      const reached = 'MEDIA_LIBRARY_LIMIT_REACHED'
      await leave(2, bytesMax)
      // The last one is stored already.
      assert.deepEqual(await statuses(one, two, three, one), [200, 200, reached, 200])
      await leave(5, 130)
      assert.deepEqual(await statuses(one, two), [200, 200])
      await leave(5, 128)
      assert.deepEqual(await statuses(one, two, two), [200, 200, 200])
      await leave(5, 127)
      assert.deepEqual(await statuses(one, two, one), [200, reached, 200])
    })
  })
}
