import { channel } from 'node:diagnostics_channel'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../scripts/find-chromium.ts'

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

/** Long enough for a busy machine: a test that fails here has waited for something that never happens. */
const waitMs = 300_000

/** A browser for one file. `close` closes every page that was opened by it. */
export type LentBrowser = {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Opens a page in a context of its own. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

/** The runner says when the last file of this process has ended. */
const ended = channel('easel.tests.ended')
const isShared = process.env.EASEL_TEST_TOGETHER !== undefined
let kept: Promise<Browser> | undefined
/** How many have the browser at this moment: a file may open two dashboards. */
let lent = 0
// The file that could not start it has failed.
ended.subscribe(() => void kept?.then((browser) => browser.close()).catch(() => undefined))

/**
 * Returns the browser that all files of this process use one after the other, because starting one takes three seconds of a core. What a
 * file opens in it has its own cookies, storage and cache.
 */
export async function openBrowser(): Promise<LentBrowser> {
  const browser = await running()
  const contexts: BrowserContext[] = []
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(waitMs)
    contexts.push(context)
    return context
  }
  lent++
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    async close() {
      for (const context of contexts) await context.close()
      if (--lent === 0 && !isShared) await browser.close()
    },
  }
}

async function running(): Promise<Browser> {
  const known = await kept?.catch(() => undefined)
  if (known?.isConnected()) return known
  kept = launch()
  return kept
}

function launch(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('There is no Chromium on this machine.')
  return chromium.launch({ executablePath, args: flags, timeout: waitMs })
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
export function visitors(browser: LentBrowser, origin: string): (url: string) => Promise<Visitor> {
  const idle: Omit<Visitor, 'complaints' | typeof Symbol.asyncDispose>[] = []
  const open = async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: wide, colorScheme: 'light' })
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
