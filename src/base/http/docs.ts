import Fastify from 'fastify'
import { escapeHtml, htmlPage, type Page } from './page.ts'

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

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${configuration.pageTitle}</title>
</head>
<body>
<noscript>This page shows <a href="/openapi.json">/openapi.json</a> and needs JavaScript to do so.</noscript>
<script id="api-reference" type="application/json" data-configuration="${escapeHtml(JSON.stringify(configuration))}"></script>
<script src="${scriptPath}"></script>
</body>
</html>
`

/** `/docs`: the reference of the API, from `/openapi.json`. Nothing is fetched from another origin. */
export function docsPages(): Page[] {
  return [
    { path: '/docs', render: async () => htmlPage(html, policy) },
    { path: scriptPath, render: async () => ({ status: 200, headers: scriptHeaders, body: await referenceScript() }) },
  ]
}

const scriptHeaders = { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'public, max-age=3600' }

/** Returns the browser script of Scalar. It has four megabytes that most processes never need, so it is loaded at the first request. */
async function referenceScript(): Promise<Buffer> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  await using app = Fastify()
  await app.register(reference, { routePrefix: '/docs', configuration: { url: configuration.url } })
  const { rawPayload } = await app.inject('/docs/js/scalar.js')
  return rawPayload
}
