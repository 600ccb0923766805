import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Fastify from 'fastify'
import { acceptsCoding } from './accepted.ts'
import { hasTag } from './etag.ts'
import { firstCalls } from './first-calls.ts'
import { escapeHtml, htmlPage, type Page, type PageReply, type PageRequest } from './page.ts'

const scriptPath = '/docs/reference.js'
// The reference adds its own styles to the page. All other sources, including fetches, are limited to this origin.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const configuration = {
  url: '/openapi.json',
  pageTitle: 'Easel: the interface',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
}

const style = `
.first { max-width: 60rem; margin: 1.5rem auto; padding: 0 1.25rem; font: 1rem/1.6 system-ui, sans-serif; color-scheme: light dark }
.first summary { font-size: 1.25rem; font-weight: 600; cursor: pointer }
.first pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border: 1px solid; border-radius: .5rem; user-select: all }
`

function html(origin: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${configuration.pageTitle}</title>
<style>${style}</style>
</head>
<body>
<details class="first" open>
<summary>First requests</summary>
<p>Put the API key that was printed at the first start into a variable. <code>npm run easel -- keys create --all mine</code> prints
another one. Click on a block to select it.</p>
<pre>KEY=the-key-that-was-printed</pre>
<pre>${escapeHtml(firstCalls(origin))}</pre>
<p>In the reference below, enter the key under “Authentication” to send requests from this page.</p>
</details>
<noscript>This page shows <a href="/openapi.json">/openapi.json</a> and needs JavaScript to do so.</noscript>
<script id="api-reference" type="application/json" data-configuration="${escapeHtml(JSON.stringify(configuration))}"></script>
<script src="${scriptPath}"></script>
</body>
</html>
`
}

/**
 * `/docs`: first requests, and the reference of the API from `/openapi.json`. `origin` is where this server is reached. Nothing is fetched
 * from another origin.
 */
export function docsPages(origin: string): Page[] {
  let script: Promise<Script> | undefined
  const loadOnce = () => {
    script ??= loadScript().catch((error) => {
      script = undefined
      throw error
    })
    return script
  }
  return [
    { path: '/docs', render: async () => htmlPage(html(origin), policy) },
    { path: scriptPath, render: async (request) => scriptReply(request, await loadOnce()) },
  ]
}

/** The browser script, compressed with gzip. Every answer sends the same buffer. */
type Script = { readonly zipped: Buffer; readonly etag: string }

const scriptHeaders = { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'public, max-age=3600' }

/** Loads the browser script of Scalar. It has four megabytes that most processes never need, so it is loaded at the first request. */
async function loadScript(): Promise<Script> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  await using app = Fastify()
  await app.register(reference, { routePrefix: '/docs', configuration: { url: configuration.url } })
  const { rawPayload } = await app.inject('/docs/js/scalar.js')
  const zipped = await promisify(gzip)(rawPayload)
  return { zipped, etag: `"${createHash('sha256').update(zipped).digest('base64url')}"` }
}

function scriptReply({ headers: sent }: PageRequest, { zipped, etag }: Script): PageReply {
  const headers = { ...scriptHeaders, ETag: etag, Vary: 'Accept-Encoding' }
  if (hasTag(sent['if-none-match'] ?? '', etag)) return { status: 304, headers, body: '' }
  if (!acceptsCoding(sent['accept-encoding'], 'gzip')) {
    // Every browser takes gzip. Unpacking it for others would cost four megabytes a request.
    return { status: 406, headers: { 'Content-Type': 'text/plain' }, body: 'This script is sent with gzip only\n' }
  }
  return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: zipped }
}
