import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

// The sandbox needs rights that containers do not give; the pages shown here are our own.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // What is painted over something else looks as what is painted on nothing, round edges too.
  '--disable-partial-raster',
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

export const wide = { width: 1280, height: 800 }

export type Visitor = {
  readonly page: Page
  readonly context: BrowserContext
  readonly complaints: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * People without JavaScript who were never here before, one after another or several at once. Whoever has left is emptied for the
 * next: a new context costs half a second of a core.
 */
export function visitors(browser: Browser, origin: string): (url: string) => Promise<Visitor> {
  const idle: Omit<Visitor, 'complaints' | typeof Symbol.asyncDispose>[] = []
  const open = async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: wide, colorScheme: 'light' })
    context.setDefaultTimeout(120_000)
    return { context, page: await context.newPage() }
  }
  return async (url) => {
    const one = idle.pop() ?? (await open())
    const { page, context } = one
    // A page behind another one is not painted, and a click waits until its button stands still.
    await page.bringToFront()
    const complaints = watch(page, origin)
    await page.goto(url)
    const leave = async () => {
      for (const kind of ['pageerror', 'console', 'request']) page.removeAllListeners(kind)
      await context.clearCookies()
      idle.push(one)
    }
    return { ...one, complaints, [Symbol.asyncDispose]: leave }
  }
}
