import { createHash } from 'node:crypto'
import { firstCalls } from './first-calls.ts'
import { escapeHtml, htmlPage, type Page, type PageReply } from './page.ts'

/** The content of the first page. It is public, so it must not contain data that needs a key. */
export type HomeFacts = { version: string; database: string; clock: () => string; origin: string }

const style = `
:root { color-scheme: light dark }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1.25rem }
h1 { font-size: 1.75rem; margin-bottom: 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem }
dt { font-weight: 600 }
dd { margin: 0 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border: 1px solid currentColor; border-radius: .5rem }
a:focus-visible { outline: 3px solid; outline-offset: 2px }
`
const styleHash = createHash('sha256').update(style).digest('base64')
const policy =
  `default-src 'none'; img-src 'self'; style-src 'sha256-${styleHash}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A page that says what runs here, with links. `notice` says why there is no dashboard. `root` is that of the request. */
export function homePage(facts: HomeFacts, root: string, notice: string): PageReply {
  return htmlPage(html(facts, root, notice), policy)
}

const iconHeaders = { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' }

/** An easel: three legs and a canvas. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<path d="M8 1v3M4.5 11 3 15.5M11.5 11 13 15.5M8 11v3" stroke="#8a5a2b" stroke-width="1.5" stroke-linecap="round"/>
<rect x="2" y="3.5" width="12" height="7.5" rx="1" fill="#f4f1ea" stroke="#1f5f8b" stroke-width="1.5"/>
</svg>`

export const iconPage: Page = {
  path: '/favicon.ico',
  render: async () => ({ status: 200, headers: iconHeaders, body: icon }),
}

function html({ version, database, clock, origin }: HomeFacts, root: string, notice: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Easel</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Easel</h1>
<p>A customer-engagement server. It is running.</p>
<p role="alert">${escapeHtml(notice)}</p>
<dl>
<dt>Version</dt><dd>${escapeHtml(version)}</dd>
<dt>Database</dt><dd>${escapeHtml(database)}</dd>
<dt>Clock</dt><dd>${escapeHtml(clock())}</dd>
</dl>
<h2>Where to go</h2>
<ul>
<li><a href="${root}sign-in">Sign in</a>, or out</li>
<li><a href="${root}docs">The interface</a>, to read and to try</li>
<li><a href="${root}openapi.json">Its description</a> as OpenAPI 3.1</li>
<li><a href="${root}health">Health</a>, <a href="${root}ready">readiness</a> of database and workers,
<a href="${root}metrics">metrics</a></li>
</ul>
<h2>First calls</h2>
<p>The API key was printed when the service was first started. Put it in <code>KEY</code>, then record a person and read them back:</p>
<pre><code>${escapeHtml(firstCalls(origin))}</code></pre>
</main>
</body>
</html>
`
}
