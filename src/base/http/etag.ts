import { Failure } from '../errors.ts'
import { sha256 } from '../ids.ts'
import { ReplyWithHeaders, type Route, statusOf } from './route.ts'

/** Returns the ETag of a body: the same content has the same tag, on every process. */
export function contentTag(body: object): string {
  return `"${sha256(JSON.stringify(body)).toString('base64url')}"`
}

/** Whether `If-Match` or `If-None-Match` has this tag. Accepts weak and strong tags, a list, and `*`. */
export function hasTag(condition: string, tag: string): boolean {
  const tags = condition.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tag.replace(/^W\//, ''))
}

/** Refuses a write with 412 when `If-Match` has another tag than that of what is stored now, in the form in which it is read. */
export function refuseStale(ifMatch: string | undefined, stored: object, name: string): void {
  if (ifMatch === undefined || hasTag(ifMatch, contentTag(stored))) return
  throw new Failure(
    'preconditionFailed',
    `The ${name} has changed since you read it. Read it again, and repeat your change.`,
  )
}

const notModified = 'What is read has the tag in `If-None-Match`; no body.'
const stale = 'What is stored no longer has the tag in `If-Match`; nothing was changed.'

/**
 * Defines a route whose answers have an `ETag`. A GET answers 304 to `If-None-Match` with this tag. The verb of a PATCH checks `If-Match`
 * itself (`refuseStale`), in the transaction that writes.
 */
export function defineTagged(route: Route): Route {
  const isRead = route.method === 'GET'
  return {
    ...route,
    tagged: true,
    refusals: { ...route.refusals, ...(isRead ? { 304: notModified } : { 412: stale }) },
    async handle(call, request) {
      const body = await route.handle(call, request)
      if (body === undefined || body instanceof ReplyWithHeaders) return body
      const headers = { ETag: contentTag(body) }
      const known = isRead ? request.headers['if-none-match'] : undefined
      if (known === undefined || !hasTag(known, headers.ETag))
        return new ReplyWithHeaders(body, headers, statusOf(route))
      return new ReplyWithHeaders(undefined, headers, 304)
    },
  }
}
