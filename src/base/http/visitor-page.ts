import { createHash } from 'node:crypto'
import { escapeHtml, htmlPage, type PageReply } from './page.ts'

const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f2ee; --sheet: #fff; --line: #dcd8d0;
  --ink: #1c242c; --soft: #535e69; --accent: #1d5b86; --on-accent: #fff; --good: #e4f1e8; --bad: #fbe9e7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #13171b; --sheet: #1b2127; --line: #323b44;
    --ink: #e9ecef; --soft: #aab4be; --accent: #93c7ec; --on-accent: #0c1a25; --good: #1d3327; --bad: #42231f;
  }
}
* { box-sizing: border-box }
body {
  margin: 0; min-height: 100vh; padding: clamp(1rem, 8vh, 5rem) 1rem 2rem;
  background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere;
}
main {
  max-width: 34rem; margin: 0 auto; padding: clamp(1.5rem, 5vw, 2.75rem); background: var(--sheet);
  border: 1px solid var(--line); border-radius: 1rem;
}
.from { margin: 0 0 1.25rem; color: var(--soft); font-weight: 600 }
h1 { margin: 0 0 .75rem; font-size: clamp(1.5rem, 5vw, 1.875rem); line-height: 1.25; letter-spacing: -.01em }
p { margin: 0 0 1rem }
bdi { display: inline-block; max-width: 100% }
.soft { color: var(--soft); font-size: 1rem }
.notice { padding: .75rem 1rem; border-radius: .5rem; background: var(--good) }
.wrong { padding: .75rem 1rem; border-radius: .5rem; background: var(--bad) }
form { margin: 1.5rem 0 0 }
fieldset { margin: 0 0 1.5rem; padding: 0; border: 0 }
legend { padding: 0; margin-bottom: .25rem; font-weight: 600 }
.choice { display: grid; grid-template-columns: auto 1fr; gap: .875rem; padding: .75rem 0; cursor: pointer }
.choice + .choice { border-top: 1px solid var(--line) }
.choice input { width: 1.375rem; height: 1.375rem; margin: .1875rem 0 0; accent-color: var(--accent) }
.choice small { display: block; color: var(--soft); font-size: .9375rem; line-height: 1.45 }
.field { display: block; margin: 0 0 1.25rem; font-weight: 600 }
.field input {
  display: block; width: 100%; min-height: 3rem; margin-top: .375rem; padding: .5rem .75rem; background: transparent; color: inherit;
  border: 1px solid var(--soft); border-radius: .625rem; font: inherit; font-weight: 400;
}
.act { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; margin: 1.5rem 0 0 }
button, .act a.button {
  min-height: 3rem; padding: .625rem 1.5rem; border: 2px solid var(--accent); border-radius: .625rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; text-decoration: none;
}
button.quiet, .act a.button.quiet { background: transparent; color: var(--accent) }
button:hover, .act a.button:hover { filter: brightness(1.08) }
a { color: var(--accent); text-underline-offset: .2em }
.act a { padding: .75rem 0 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: .25rem }
.trap { position: absolute; left: -624rem; width: 1px; height: 1px; overflow: hidden }
@media (forced-colors: active) { .notice, .wrong { border: 1px solid } }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** Returns the policy of a page. `embedOrigins`: sites that may show it in a frame. `formOrigins`: sites to which its form may lead. */
function policyOf({ embedOrigins = [], formOrigins = [] }: VisitorPage): string {
  const frames = embedOrigins.length === 0 ? "'none'" : embedOrigins.join(' ')
  const forms = ["'self'", ...formOrigins].join(' ')
  return `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${forms}; base-uri 'none'; frame-ancestors ${frames}`
}

/** `from` is the name of the workspace, absent when the page must not show it. `content` is HTML. */
export type VisitorPage = {
  readonly from?: string
  readonly heading: string
  readonly content: string
  readonly status?: number
  /** A language tag; English when absent. */
  readonly language?: string
  /** Origins of sites that may show the page in a frame; none when absent. */
  readonly embedOrigins?: readonly string[]
  /** Origins to which the answer to the form may redirect, besides this one. */
  readonly formOrigins?: readonly string[]
}

/** Returns a page for a visitor with a link or a form, without JavaScript, for screens of any size. Search engines must not index it. */
export function visitorPage(given: VisitorPage): PageReply {
  const { from, heading, content, status = 200, language = 'en' } = given
  const title = escapeHtml(from === undefined ? heading : `${heading} · ${from}`)
  const body = `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${from === undefined ? '' : `<p class="from" dir="auto">${escapeHtml(from)}</p>\n`}<h1>${escapeHtml(heading)}</h1>
${content}
</main>
</body>
</html>
`
  const page = htmlPage(body, policyOf(given), status)
  return { ...page, headers: { ...page.headers, 'X-Robots-Tag': 'noindex, nofollow' } }
}
