import { randomBytes } from 'node:crypto'
import { notFound } from '../../base/errors.ts'
import { type HomeFacts, homePage, iconPage } from '../../base/http/home.ts'
import { htmlPage, type Page, type PageReply, type PageRequest } from '../../base/http/page.ts'
import { readAsset, readBuildFailure, readShell } from './built-files.ts'

const neverBuilt = 'The dashboard is not built yet. Start the service with "npm start", which builds it.'

/**
 * The dashboard: `/` leads to it, every path below `/dashboard` is its HTML, and its scripts, styles and fonts are in `/dashboard/assets`.
 * The files have no data in them, so they are public. All data comes from `/admin`, which checks the session.
 */
export function dashboardPages(folder: string, facts: HomeFacts): Page[] {
  const render = (request: PageRequest) => showShell(folder, facts, request)
  return [
    { path: '/', render: async ({ root }) => ({ status: 302, headers: { Location: `${root}dashboard` }, body: '' }) },
    iconPage,
    { path: '/dashboard', render },
    { path: '/dashboard/*', render },
    { path: '/dashboard/assets/{file}', render: (request) => sendAsset(folder, request) },
  ]
}

/** Without a build, this is a page that says why and where else to go. */
async function showShell(folder: string, facts: HomeFacts, { root }: PageRequest): Promise<PageReply> {
  const shell = await readShell(folder)
  if (shell === undefined) return homePage(facts, root, (await readBuildFailure(folder)) ?? neverBuilt)
  const nonce = randomBytes(16).toString('base64')
  const page = htmlPage(shell.replaceAll('%ROOT%', root).replaceAll('%NONCE%', nonce), policyWith(nonce))
  // The names of the other files change with their content, and this one has them.
  return { ...page, headers: { ...page.headers, 'Cache-Control': 'no-cache' } }
}

/** The nonce is for the styles that editors and overlays add to the page. */
function policyWith(nonce: string): string {
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  )
}

async function sendAsset(folder: string, { params, headers }: PageRequest): Promise<PageReply> {
  const asset = await readAsset(folder, params.file ?? '', headers['accept-encoding'])
  if (!asset) throw notFound('Not found')
  const { body, contentType, coding } = asset
  return {
    status: 200,
    headers: {
      'Content-Type': contentType,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(coding && { 'Content-Encoding': coding }),
    },
    body,
  }
}
