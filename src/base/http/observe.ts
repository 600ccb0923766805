import type { RequestSource } from '../call.ts'
import type { Failure } from '../errors.ts'
import type { Caller } from './auth.ts'
import type { Page } from './page.ts'
import type { Route } from './route.ts'

/** A request that got its answer. */
export type AnsweredRequest = {
  /** The endpoint, or the page. */
  readonly route: Pick<Route, 'method' | 'path' | 'permission' | 'ability'> | Pick<Page, 'method' | 'path'>
  readonly params: { readonly [name: string]: string | undefined }
  readonly status: number
  readonly failure: Failure | undefined
  /** Undefined for a page, and for a caller that was refused. */
  readonly caller: Caller | undefined
  readonly from: RequestSource
}

/** Observes every answer of an endpoint or a page. Must not throw, and must be quick: it runs before the answer is sent. */
export type ObserveAnswer = (answered: AnsweredRequest) => void
