import type { IncomingHttpHeaders } from 'node:http'
import type { RequestSource } from '../call.ts'
import type { Failure } from '../errors.ts'
import type { Caller } from './auth.ts'
import type { Page } from './page.ts'
import type { Query, Route } from './route.ts'
import type { WrittenAnswer } from './write-answer.ts'

/** The bytes of a body that an observer gets at most. */
export const bodyStartMax = 16_384

/** A request that got its answer. */
export type AnsweredRequest = {
  /** The endpoint, or the page. */
  readonly route:
    | Pick<Route, 'method' | 'path' | 'permission' | 'ability' | 'keyMember'>
    | Pick<Page, 'method' | 'path'>
  readonly params: { readonly [name: string]: string | undefined }
  readonly status: number
  readonly failure: Failure | undefined
  /** Undefined for a page, and for a caller that was refused. */
  readonly caller: Caller | undefined
  readonly from: RequestSource
}

/** The body of a request, as far as it was read. */
export type SentBody = {
  /** Its beginning, unpacked. It may be a part of a larger buffer: copy what is kept. */
  readonly start: Buffer
  /** The unpacked length. */
  readonly bytes: number
  /** The parsed body; undefined when it could not be parsed. */
  readonly parsed: unknown
}

/** A request with its answer. Everything in it belongs to the request: copy what is kept. */
export type Exchange = AnsweredRequest & {
  /** When it arrived, in machine time. */
  readonly startedMs: number
  readonly method: string
  readonly url: string
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  /** Undefined when it has none, or when it was refused before its body was read. */
  readonly sent: SentBody | undefined
  readonly reply: Pick<WrittenAnswer, 'headers' | 'body'>
}

/** Observes every answer of an endpoint or a page. Must not throw, and must be quick: it runs before the answer is sent. */
export type ObserveAnswer = (exchange: Exchange) => void
