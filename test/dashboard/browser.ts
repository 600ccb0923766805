import { type Browser, chromium, type Page } from 'playwright-core'

// The sandbox needs rights that containers do not give; the pages shown here are our own.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The Chromium that the runner found, or the usual one of Debian. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.EASEL_TEST_CHROMIUM ?? '/usr/bin/chromium', args: flags })
}

/** Everything that a page complains about, and every request it sends to somebody else. */
export function watch(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol.startsWith('http') && asked !== origin) complaints.push(`asks ${asked}`)
  })
  return complaints
}
