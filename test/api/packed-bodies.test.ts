import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { bodyBytesMax, scimBytesMax, strangerBytesMax } from '../../src/base/http/body.ts'
import { type Answer, drawDatabases, type RequestOptions, requestOrigin, scimToken } from '../support/harness.ts'
import { newId, peopleOf } from '../support/people.ts'
import { sendgridKey } from '../support/providers.ts'

const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const packings = {
  gzip: (text: string | Buffer) => gzipSync(text, { level: 1 }),
  'x-gzip': (text: string | Buffer) => gzipSync(text, { level: 1 }),
  br: (text: string | Buffer) => brotliCompressSync(text, quick),
}
type Coding = keyof typeof packings
const codings = Object.keys(packings) as Coding[]

type Operation = { readonly security: readonly Record<string, unknown>[]; readonly requestBody?: object }

for (const database of drawDatabases('packed-bodies')) {
  describe(`bodies that are packed (${database})`, () => {
    const people = peopleOf(database)

    const send = (method: string, path: string, body: Buffer, coding: string, options: RequestOptions = {}) =>
      people.service.send(method, path, body, {
        ...options,
        headers: { ...options.headers, 'content-encoding': coding },
      })
    const track = (body: Buffer, coding: string): Promise<Answer> => send('POST', '/users/track', body, coding)
    const trackBody = (external_id: string, bytes = 0): string =>
      JSON.stringify({ attributes: [{ external_id, plan: 'gold' }] }).padEnd(bytes)

    test('are read as if they were not packed', async () => {
      for (const [i, coding] of [...codings, 'GZIP', ' br '].entries()) {
        const external_id = newId()
        const pack = packings[codings[i % codings.length]!]
        const body = coding.toLowerCase().includes('br')
          ? packings.br(trackBody(external_id))
          : pack(trackBody(external_id))
        const { status, text } = await track(body, coding)
        assert.deepEqual([status, text], [201, '{"attributes_processed":1,"message":"success"}'], coding)
        assert.deepEqual(await people.custom(external_id), { plan: 'gold' })
      }
      const external_id = newId()
      assert.equal((await track(Buffer.from(trackBody(external_id)), 'identity')).status, 201)
    })

    test('are read at every endpoint that takes JSON', async () => {
      const { body: description } = await people.service.get('/openapi.json', { key: null })
      const operations = Object.entries(description.paths as Record<string, Record<string, Operation>>).flatMap(
        ([path, methods]) =>
          Object.entries(methods).flatMap(([method, operation]) =>
            operation.requestBody && !path.startsWith('/webhooks/') ? [{ path, method, operation }] : [],
          ),
      )
      assert.ok(operations.length > 60, String(operations.length))
      for (const [i, { path, method, operation }] of operations.entries()) {
        const options = optionsFor(Object.keys(operation.security[0] ?? {})[0])
        const at = path.replaceAll(/\{\w+\}/g, 'nobody')
        const coding = codings[i % codings.length]!
        // A text is a body that every endpoint refuses, after it was read.
        const plain = await people.service.send(method.toUpperCase(), at, '"text"', options)
        const packed = await send(method.toUpperCase(), at, packings[coding]('"text"'), coding, options)
        assert.deepEqual([packed.status, packed.text], [plain.status, plain.text], `${method} ${path}`)
        const refused = await send(method.toUpperCase(), at, deflateSync('"text"'), 'deflate', options)
        assert.equal(refused.status, 415, `${method} ${path}: ${refused.text}`)
      }
    })

    function optionsFor(credential: string | undefined): RequestOptions {
      if (credential === 'scim_token') return { key: scimToken, headers: { 'x-request-origin': requestOrigin } }
      return credential === 'admin_token' ? { key: people.service.adminToken } : {}
    }

    test('in an unknown way are 415, with the known ways', async () => {
      for (const coding of ['deflate', 'compress', 'zstd', 'gzip, br', 'constructor', 'x']) {
        const answer = await track(gzipSync(trackBody(newId())), coding)
        assert.deepEqual(
          [answer.status, answer.body.message, answer.headers['accept-encoding']],
          [415, 'Content-Encoding must be one of gzip, br, identity', 'gzip, br'],
          coding,
        )
      }
    })

    test('that cannot be unpacked are 400, and nothing is applied', async () => {
      const external_id = newId()
      for (const coding of codings) {
        const name = coding === 'br' ? 'br' : 'gzip'
        const whole = packings[coding](trackBody(external_id))
        for (const body of [Buffer.from(trackBody(external_id)), whole.subarray(0, -3), Buffer.from([0])]) {
          const answer = await track(body, coding)
          assert.equal(answer.status, 400, answer.text)
          assert.equal(answer.body.message, `The request body is not valid ${name}`)
        }
        const { status, body } = await track(packings[coding]('{"attributes":'), coding)
        assert.deepEqual([status, body.message], [400, 'The request body is not valid JSON'])
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('have their limit after unpacking too', async () => {
      for (const coding of codings) {
        const limits = [
          [bodyBytesMax, (bytes: number) => track(packings[coding](trackBody(newId(), bytes)), coding), 201],
          [
            scimBytesMax,
            (bytes: number) =>
              send('POST', '/scim/v2/Users', packings[coding]('{}'.padEnd(bytes)), coding, optionsFor('scim_token')),
            400,
          ],
          [
            strangerBytesMax,
            (bytes: number) => send('POST', '/sdk/data', packings[coding]('{}'.padEnd(bytes)), coding),
            400,
          ],
        ] as const
        for (const [bytesMax, post, status] of limits) {
          for (const bytes of [bytesMax - 1, bytesMax]) assert.equal((await post(bytes)).status, status, String(bytes))
          const answer = await post(bytesMax + 1)
          assert.equal(answer.status, 413, answer.text)
          assert.match(answer.text, new RegExp(`larger than ${bytesMax} bytes when it is unpacked`))
        }
      }
    })

    test('are not read where bytes are signed', async () => {
      const { body } = await people.service.admin('GET', '/admin/workspace')
      const settings = { webhooks: { sendgrid: { public_key: sendgridKey } } }
      await people.service.admin('PATCH', '/admin/settings', settings)
      const answer = await send('POST', `/webhooks/sendgrid/${body.workspaces[0].id}`, gzipSync('{}'), 'gzip', {
        key: null,
      })
      assert.equal(answer.status, 415, answer.text)
    })
  })
}
