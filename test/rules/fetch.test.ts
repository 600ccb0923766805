import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type FetchRequest, openFetcher } from '../../src/base/fetch/fetch.ts'
import type { FetchErrorReason } from '../../src/base/fetch/fetch-error.ts'
import { fetcherOf, type Names, refusal, type Seen, type Served, serve } from '../support/fetchers.ts'

function redirect(response: ServerResponse, location: string, status = 302): void {
  response.writeHead(status, { location }).end('elsewhere')
}

const bytesMax = 1000

/** The answers of the test server, by path. */
const answers: Readonly<Record<string, (request: Seen, response: ServerResponse) => void>> = {
  '/hello': (_, response) => response.writeHead(404, { 'set-cookie': 'a=b', 'x-many': ['1', '2'] }).end('hello'),
  '/slow-headers': () => undefined,
  '/slow-body': (_, response) => {
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  },
  '/endless': (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    }
    response.on('drain', more)
    more()
  },
  '/breaks': (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  },
  '/bomb': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('0'.repeat(1e7))),
  '/loop': (_, response) => redirect(response, '/loop'),
  '/slow-redirect': (_, response) => void response.writeHead(302, { location: '/hello' }).write('wait'),
  '/nowhere': (_, response) => redirect(response, 'http://'),
  '/no-location': (_, response) => response.writeHead(302).end('stay'),
  '/to-file': (_, response) => redirect(response, 'file:///etc/passwd'),
  '/to-private': (_, response) => redirect(response, 'http://10.0.0.1/'),
  '/to-metadata': (_, response) => redirect(response, 'http://metadata.example/'),
  '/to-credentials': (_, response) => redirect(response, 'http://a:b@127.0.0.1/'),
  '/to-port': (_, response) => redirect(response, 'http://127.0.0.1:1/'),
}

describe('an answer', () => {
  let server: Served
  before(async () => {
    server = await serve((request, response) => {
      const path = request.url!
      const [, word, size] = path.split('/') as [string, string, string?]
      if (word === 'sized') response.writeHead(200, { 'content-length': size! }).end('x'.repeat(Number(size)))
      else if (word === 'chunked') {
        response.write('x'.repeat(Number(size) - 1))
        response.end('x')
      } else if (word === 'hops') redirect(response, size === '1' ? '/hello' : `/hops/${Number(size) - 1}`)
      else answers[path]!(request, response)
    })
  })
  after(() => server.close())

  async function fetching<T>(work: (fetch: ReturnType<typeof fetcherOf>['fetch']) => Promise<T>): Promise<T> {
    const names: Names = { 'metadata.example': [['169.254.169.254']] }
    const { fetch, close } = fetcherOf(`127.0.0.1:${server.port}`, names)
    try {
      return await work((path, request) => fetch(server.url + path, request))
    } finally {
      await close()
    }
  }

  const fetchRefused = (path: string, request?: FetchRequest) => fetching((fetch) => refusal(fetch(path, request)))

  test('has its status, its headers without cookies, its body and its URL', async () => {
    const { status, headers, body, url } = await fetching((fetch) => fetch('/hello'))
    assert.deepEqual([status, body.toString(), url], [404, 'hello', `${server.url}/hello`])
    assert.equal(headers['x-many'], '1, 2')
    assert.equal(headers['set-cookie'], undefined)
  })

  for (const kind of ['sized', 'chunked']) {
    test(`that is ${kind} may have up to the limit of bytes`, async () => {
      for (const size of [bytesMax - 1, bytesMax]) {
        const { body } = await fetching((fetch) => fetch(`/${kind}/${size}`, { bytesMax }))
        assert.equal(body.length, size)
      }
      assert.equal((await fetchRefused(`/${kind}/${bytesMax + 1}`, { bytesMax })).reason, 'too_large')
    })
  }

  test('without an end is abandoned at the limit', async () => {
    assert.equal((await fetchRefused('/endless', { bytesMax: 1e6 })).reason, 'too_large')
  })

  test('to HEAD has no body, whatever its Content-Length', async () => {
    const { body, headers } = await fetching((fetch) => fetch('/sized/2000', { method: 'HEAD', bytesMax }))
    assert.deepEqual([body.length, headers['content-length']], [0, '2000'])
  })

  test('that takes too long is abandoned as a temporary failure', async () => {
    for (const path of ['/slow-headers', '/slow-body']) {
      const { reason, temporary } = await fetchRefused(path, { timeoutMs: 150 })
      assert.deepEqual([reason, temporary], ['timeout', true])
    }
  })

  test('that breaks off is a temporary failure', async () => {
    const { reason, temporary } = await fetchRefused('/breaks')
    assert.deepEqual([reason, temporary], ['unreachable', true])
  })

  test('that is compressed is refused before its body is read', async () => {
    assert.equal((await fetchRefused('/bomb')).reason, 'encoded')
  })

  test('may follow three redirects, not four', async () => {
    const { url } = await fetching((fetch) => fetch('/hops/3'))
    assert.equal(url, `${server.url}/hello`)
    const { reason, temporary } = await fetchRefused('/hops/4')
    assert.deepEqual([reason, temporary], ['redirects', false])
    assert.equal((await fetchRefused('/loop')).reason, 'redirects')
    assert.equal((await fetchRefused('/hops/1', { redirectsMax: 0 })).reason, 'redirects')
  })

  test('that redirects is not read to its end', async () => {
    const { body } = await fetching((fetch) => fetch('/slow-redirect', { timeoutMs: 2000 }))
    assert.equal(body.toString(), 'hello')
  })

  test('that redirects without a location is returned itself', async () => {
    const { status, body } = await fetching((fetch) => fetch('/no-location'))
    assert.deepEqual([status, body.toString()], [302, 'stay'])
  })

  const leading: readonly [path: string, reason: FetchErrorReason][] = [
    ['/to-private', 'address'],
    ['/to-metadata', 'address'],
    ['/to-file', 'url'],
    ['/to-credentials', 'url'],
    ['/to-port', 'port'],
    ['/nowhere', 'url'],
  ]
  for (const [path, reason] of leading) {
    test(`that redirects ${path.slice(1)} is refused (${reason})`, async () => {
      assert.equal((await fetchRefused(path)).reason, reason)
    })
  }

  test('is not awaited after the caller aborts or the service closes', async () => {
    const leaving = new AbortController()
    const refused = fetchRefused('/slow-headers', { signal: leaving.signal })
    await pause(20)
    leaving.abort()
    assert.equal((await refused).reason, 'closed')
    const { fetch, close } = fetcherOf(`127.0.0.1:${server.port}`)
    const left = refusal(fetch(`${server.url}/slow-headers`))
    await pause(20)
    await close()
    assert.equal((await left).reason, 'closed')
    assert.equal((await refusal(fetch(`${server.url}/hello`))).reason, 'closed')
  })
})

describe('a request', () => {
  let first: Served
  let second: Served
  before(async () => {
    const answer = ({ url }: Seen, response: ServerResponse) => {
      const [, status, where] = url!.split('/')
      if (status === '') return response.end('there')
      return redirect(response, where === 'other' ? `${second.url}/` : '/', Number(status))
    }
    first = await serve(answer)
    second = await serve(answer)
  })
  after(async () => {
    await first.close()
    await second.close()
  })

  async function arrived(path: string, request: FetchRequest): Promise<Seen> {
    const { fetch, close } = fetcherOf(`127.0.0.1:${first.port},127.0.0.1:${second.port}`)
    const { url } = await fetch(first.url + path, request)
    await close()
    return (url.startsWith(second.url) ? second : first).seen.at(-1)!
  }

  const secret = { Authorization: 'Basic c2VjcmV0', 'X-Api-Key': 'secret', Accept: 'text/plain' }

  test('names Easel, accepts no compression, and has no headers of the connection', async () => {
    const forged = {
      Host: 'inside',
      Cookie: 'a=b',
      'User-Agent': 'x',
      'Accept-Encoding': 'gzip',
      'content-length': '9',
    }
    const { headers } = await arrived('/', { headers: { ...forged, ...secret } })
    assert.deepEqual(headers, {
      host: `127.0.0.1:${first.port}`,
      connection: 'keep-alive',
      authorization: secret.Authorization,
      'x-api-key': 'secret',
      accept: 'text/plain',
      'user-agent': 'Easel',
      'accept-encoding': 'identity',
    })
  })

  test('keeps its credentials in a redirect to the same origin, and loses them in one to another origin', async () => {
    const same = await arrived('/302/same', { headers: secret })
    assert.deepEqual([same.headers.authorization, same.headers['x-api-key']], [secret.Authorization, 'secret'])
    const other = await arrived('/302/other', { headers: secret })
    assert.deepEqual([other.headers.authorization, other.headers['x-api-key']], [undefined, undefined])
    assert.equal(other.headers.accept, 'text/plain')
  })

  test('is unchanged after 307 and 308, and becomes a GET without body after 301, 302 and 303', async () => {
    const request = { method: 'post', body: '{"a":1}', headers: { 'Content-Type': 'application/json' } }
    for (const status of [307, 308]) {
      const { method, body, headers } = await arrived(`/${status}/same`, request)
      assert.deepEqual([method, body, headers['content-type']], ['POST', '{"a":1}', 'application/json'])
    }
    for (const status of [301, 302, 303]) {
      const { method, body, headers } = await arrived(`/${status}/same`, request)
      assert.deepEqual([method, body, headers['content-type']], ['GET', '', undefined])
    }
    assert.equal((await arrived('/303/same', { method: 'HEAD' })).method, 'HEAD')
    assert.equal((await arrived('/302/same', { method: 'PUT', body: 'a' })).method, 'PUT')
  })

  test('that cannot be sent is refused', async () => {
    const { fetch, close } = fetcherOf(`127.0.0.1:${first.port}`)
    const bad: FetchRequest[] = [
      { method: 'TRACE' },
      { method: 'GET', body: 'a' },
      { headers: { 'a b': 'c' } },
      { headers: { a: 'b\r\nc: d' } },
      { headers: { a: '\0' } },
    ]
    for (const request of bad) assert.equal((await refusal(fetch(first.url, request))).reason, 'request')
    await close()
  })
})

describe('a connection', () => {
  test('that is refused is reported as a temporary failure', async () => {
    const closed = await serve(() => undefined)
    await closed.close()
    const { fetch, close } = fetcherOf(`127.0.0.1:${closed.port}`)
    const { reason, temporary } = await refusal(fetch(closed.url))
    assert.deepEqual([reason, temporary], ['unreachable', true])
    await close()
  })

  test('to a server that speaks no HTTP or sends too many headers is abandoned', async () => {
    for (const line of ['220 mail.example ESMTP\r\n', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(100_000)}\r\n\r\n`]) {
      const server = createTcpServer((socket) =>
        socket
          .on('error', () => undefined)
          .resume()
          .end(line),
      )
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      const { port } = server.address() as AddressInfo
      const { fetch, close } = fetcherOf(`127.0.0.1:${port}`)
      assert.equal((await refusal(fetch(`http://127.0.0.1:${port}/`))).reason, 'unreachable')
      await close()
      await new Promise((closing) => server.close(closing))
    }
  })

  test('is abandoned when the look-up of the name never ends', async () => {
    const never = new Promise<never>(() => undefined)
    const { fetch, close } = openFetcher({ allow: [], lookup: () => never })
    assert.equal((await refusal(fetch('http://a.example/', { timeoutMs: 100 }))).reason, 'timeout')
    await close()
  })
})
