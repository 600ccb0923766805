import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readConfig } from '../../src/base/config.ts'
import { openFetcher } from '../../src/base/fetch/fetch.ts'
import { FetchError } from '../../src/base/fetch/fetch-error.ts'

export const publicAddress = '93.184.215.14'

/** The addresses of names, instead of a resolver. Each call uses the next entry of a list. */
export type Names = Readonly<Record<string, readonly string[][]>>

/** Returns a fetcher that uses these names instead of a resolver. `asked` has the names it looked up. */
export function fetcherOf(allow = '', names: Names = {}) {
  const asked: string[] = []
  const fetcher = openFetcher({
    allow: readConfig({ EASEL_FETCH_ALLOW: allow }).fetchAllow,
    lookup: async (hostname) => {
      const answers = names[hostname]
      const count = asked.filter((name) => name === hostname).length
      asked.push(hostname)
      if (!answers) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
      return answers[Math.min(count, answers.length - 1)]!.map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }))
    },
  })
  return { ...fetcher, asked }
}

/** Returns the reason of a refusal. Fails when the fetch was not refused. */
export async function refusal(work: Promise<unknown>): Promise<FetchError> {
  const [result] = await Promise.allSettled([work])
  assert.equal(result.status, 'rejected')
  assert.ok(result.reason instanceof FetchError, String(result.reason))
  return result.reason
}

/** The requests that a server got. */
export type Seen = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string }

/** Starts an HTTP server on a free port of this machine. */
export async function serve(answer: (request: Seen, response: ServerResponse) => void, host = '127.0.0.1') {
  const seen: Seen[] = []
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    const { method, url, headers } = message
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    answer(seen.at(-1)!, response)
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  return { port, seen, close, url: `http://${host}:${port}` }
}

export type Served = Awaited<ReturnType<typeof serve>>
