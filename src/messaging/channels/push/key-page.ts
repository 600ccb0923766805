import { Failure } from '../../../base/errors.ts'
import type { Page } from '../../../base/http/page.ts'
import { publicKeyOf } from './web-push.ts'

const notSet = 'This server sends no pushes to browsers: WEB_PUSH_PRIVATE_KEY is not set'

/** Returns the page with the key that a browser needs to subscribe. It is public, and pages of any site may read it. */
export function keyPage(privateKey: string | undefined): Page {
  const public_key = privateKey === undefined ? undefined : publicKeyOf(privateKey)
  return {
    path: '/web-push/key',
    async render() {
      if (public_key === undefined) throw new Failure('notFound', notSet)
      const headers = { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' }
      return { status: 200, headers, body: JSON.stringify({ public_key, message: 'success' }) }
    },
  }
}
