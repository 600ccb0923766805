import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { type Coding, chooseCoding, isPackable, openEncoder, packedBytesMin } from './pack-answer.ts'
import type { StreamedBody } from './page.ts'

/** A download without progress for this long is ended. */
const idleMs = 60_000
/** A larger answer may stay in memory until the client has read it. */
const largeBytesMin = 65_536

export type Headers = { [name: string]: string | string[] }

/** What is sent to the client. */
export type WrittenAnswer = {
  status: number
  headers: Headers
  body: string | Buffer | StreamedBody
}

/** Sends an answer, unless the client has gone. */
export function write(response: ServerResponse, { status, headers, body }: WrittenAnswer): void {
  if (typeof body === 'object' && 'stream' in body) {
    send(response, status, headers, body)
    return
  }
  if (response.destroyed || response.headersSent) return
  if (status === 204 || status === 304) {
    delete headers['Content-Type']
    response.writeHead(status, headers).end()
    return
  }
  const bytes = Buffer.byteLength(body)
  const coding = chooseCoding(response.req.headers, bytes)
  const canBePacked = (coding !== undefined || bytes >= packedBytesMin) && isPackable(headers)
  if (canBePacked) addVary(headers)
  if (canBePacked && coding !== undefined) {
    writePacked(response, { status, headers, body }, coding)
    return
  }
  headers['Content-Length'] = String(bytes)
  if (bytes > largeBytesMin) response.setTimeout(idleMs, () => response.destroy())
  // Node sends a string in one packet with the headers, a buffer in a second one.
  response.writeHead(status, headers).end(body)
}

/** The length is not known before the end, so the answer has none. */
function writePacked(
  response: ServerResponse,
  { status, headers, body }: WrittenAnswer & { body: string | Buffer },
  coding: Coding,
): void {
  headers['Content-Encoding'] = coding
  response.writeHead(status, headers)
  if (response.req.method === 'HEAD') {
    response.end()
    return
  }
  response.setTimeout(idleMs, () => response.destroy())
  const encoder = openEncoder(coding)
  encoder.end(body)
  pipeline(encoder, response, () => undefined)
}

function addVary(headers: Headers): void {
  headers.Vary = headers.Vary === undefined ? 'Accept-Encoding' : `${headers.Vary}, Accept-Encoding`
}

/** Sends a body while it is read. Stops reading when the client disconnects or makes no progress. */
function send(response: ServerResponse, status: number, headers: Headers, { stream, bytes }: StreamedBody): void {
  headers['Content-Length'] = String(bytes)
  if (response.destroyed || response.headersSent) {
    stream.destroy()
    return
  }
  response.writeHead(status, headers)
  if (response.req.method === 'HEAD') {
    stream.destroy()
    response.end()
    return
  }
  response.setTimeout(idleMs, () => response.destroy())
  pipeline(stream, response, () => undefined)
}
