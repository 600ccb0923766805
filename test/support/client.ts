import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:http'
import { type Answer, converse, exchange, type RequestOptions } from './http-requests.ts'

/** A client of one service. */
export type Client = {
  readonly url: string
  readonly apiKey: string
  readonly adminToken: string
  /** Sends a body: text and bytes unchanged, everything else as JSON. */
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  get(path: string, options?: RequestOptions): Promise<Answer>
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  /** Sends a request with the admin token. Any status but 2xx fails the test. */
  admin(method: string, path: string, body?: unknown): Promise<Answer>
  /** Writes pieces to a connection, `pauseMs` apart, and reads until the service ends it. */
  raw(pieces: readonly (string | Buffer)[], pauseMs?: number): Promise<string>
  /** Creates an API key with these permissions. */
  key(permissions: readonly string[], allowed_ips?: readonly string[]): Promise<string>
  /** Moves the virtual clock: `P3D`, `PT90M`. */
  advance(duration: string): Promise<void>
}

export type Credentials = Pick<Client, 'apiKey' | 'adminToken'>

/** Returns a client that uses the API key unless a request names another. */
export function clientOf(url: string, { apiKey, adminToken }: Credentials, agent?: Agent): Client {
  const port = Number(new URL(url).port)
  const send: Client['send'] = (method, path, body, options) =>
    exchange(port, method, path, body, { key: apiKey, ...(agent && { agent }), ...options })
  const admin: Client['admin'] = async (method, path, body) => {
    const answer = await send(method, path, body, { key: adminToken })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer
  }
  return {
    url,
    apiKey,
    adminToken,
    send,
    admin,
    post: (path, body, options) => send('POST', path, body, options),
    get: (path, options) => send('GET', path, undefined, options),
    raw: (pieces, pauseMs) => converse(port, pieces, pauseMs),
    async key(permissions, allowed_ips = []) {
      const { body } = await admin('POST', '/admin/keys', { name: randomUUID(), permissions, allowed_ips })
      return body.key.key
    },
    async advance(duration) {
      await admin('POST', '/admin/clock', { advance: duration })
    },
  }
}
