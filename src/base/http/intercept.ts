import type { Call } from '../call.ts'
import type { ReplyWithHeaders, Request, Route } from './route.ts'

/** What a verb returns. */
export type Reply = object | ReplyWithHeaders | undefined

/**
 * Calls the verb of an endpoint for a request that is authorized and read, or answers in its place. Throws a `Failure` to refuse the
 * request, and `ConnectionCut` to end its connection without an answer.
 */
export type Intercept = (route: Route, call: Call, request: Request) => Promise<Reply>

/** The connection of a request ends without an answer. */
export class ConnectionCut extends Error {
  constructor() {
    super('the connection was cut')
    this.name = 'ConnectionCut'
  }
}
