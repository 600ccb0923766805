import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

// The sandbox needs permissions that containers do not have. The pages of these tests are our own.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Partial repaints draw round edges differently from full ones.
  '--disable-partial-raster',
]

/** The Chromium that the runner found, or the usual path of Debian. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.EASEL_TEST_CHROMIUM ?? '/usr/bin/chromium', args: flags })
}

/** Returns a list that collects the errors of a page and its requests to other origins. */
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
 * Returns visitors without JavaScript and without cookies, one or several at once. A visitor who has left is cleared and used again: a
 * new context costs half a second of a core.
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
    // A page behind another one is not painted, and a click waits until its button stops moving.
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
