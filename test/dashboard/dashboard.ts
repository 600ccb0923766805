import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { prepareDashboard } from '../../scripts/prepare-dashboard.mjs'
import { long, seed } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import type { ServiceOptions } from '../support/harness.ts'
import { Signing } from '../support/sign-in.ts'
import { type LentBrowser, openBrowser, watch, wide } from './browser.ts'

const root = join(import.meta.dirname, '../..')
// The policy of the page forbids foreign scripts, but not those of the browser's own tools.
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** How long a page may take after a key before the key is pressed again. */
const lookMs = 5_000

const pictures = process.env.EASEL_TEST_PICTURES

/** The rules that see colors. All others find the same in the dark. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** No page is wider than the screen. Parts of it may still be rendering when the screen has just changed, so it is waited for. */
export const fits = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'

export const narrow = { width: 360, height: 640 }

const saidMsMax = 300_000

/** A page that `checkAccess` looks at: its name, its path below the workspace, and a text that shows that it is complete. */
export type LookedAt = readonly [name: string, path: string, ready: string]

/** The dashboard of a service of its own, in a browser. */
export class Dashboard {
  readonly at = new Signing()
  browser!: LentBrowser
  page!: Page
  /** Errors of the page, and requests to other origins. */
  complaints!: string[]

  /** Builds the dashboard if needed, starts a service, and opens a browser without a session. */
  async open(options: ServiceOptions = {}): Promise<void> {
    const lines: string[] = []
    assert.ok(await prepareDashboard(root, process.execPath, (line: string) => lines.push(line)), lines.join('\n'))
    await this.at.start(options)
    this.browser = await openBrowser()
    const context = await this.browser.newContext({ viewport: wide, colorScheme: 'light' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.url })
    this.page = await context.newPage()
    this.complaints = watch(this.page, this.url)
  }

  async close(): Promise<void> {
    await this.browser.close()
    // A page that closes leaves requests behind. The service ends only when every one is answered.
    await eventually('every request is answered', () => this.at.service.app.inFlight() === 0)
    await this.at.stop()
  }

  get url(): string {
    return this.at.service.url
  }

  /** Signs in with an account that has these permissions; without any, as an administrator of the company. */
  async signIn(permissions: object = { company: ['admin'] }): Promise<void> {
    const { user_name } = await this.at.account({ given_name: 'Grace' })
    await this.at.db.execute(`update account set permissions = permissions || '${JSON.stringify(permissions)}'`)
    const [name, value] = (await this.at.enter(user_name)).split('=')
    await this.page.context().addCookies([{ name: name!, value: value!, url: this.url }])
  }

  /** Opens a page of a workspace. */
  async visit(path: string, workspace = 'default'): Promise<void> {
    await this.page.goto(`${this.url}/dashboard/w/${workspace}/${path}`)
  }

  /**
   * Resolves when the page says a sentence at its edge. To be called before what makes it say that: a sentence is there for a few seconds,
   * in which a busy browser may draw nothing.
   */
  said(sentence: RegExp): Promise<void> {
    return this.#watchStatus(`({ textContent }) => ${sentence}.test(textContent)`)
  }

  /** Goes to a page by `g` and a letter, pressed until it is there: on a busy machine the two keys may come too far apart. */
  async goByKeys(letter: string, heading: string): Promise<void> {
    const there = this.page.getByRole('heading', { level: 1, name: heading })
    await eventually(`${heading} by the keys g and ${letter}`, async () => {
      await this.page.keyboard.press('g')
      await this.page.keyboard.press(letter)
      return there.waitFor({ timeout: lookMs }).then(
        () => true,
        () => false,
      )
    })
  }

  /** Presses "Undo" as soon as the page offers it, and then resolves. To be called before what makes it offer that, as with `said`. */
  undoes(): Promise<void> {
    return this.#watchStatus(`(status) => {
      const button = status.querySelector('button')
      button?.click()
      return button !== null
    }`)
  }

  /** Resolves when a function of the page returns true for what the page says at its edge. */
  #watchStatus(isWanted: string): Promise<void> {
    const watched = this.page.evaluate<void>(`new Promise((resolve, reject) => {
      const said = new Set()
      const isWanted = ${isWanted}
      const look = () => {
        const found = [...document.querySelectorAll('[role=status]')]
        for (const { textContent } of found) said.add(textContent)
        if (!found.some(isWanted)) return
        observer.disconnect()
        resolve()
      }
      const observer = new MutationObserver(look)
      observer.observe(document, { childList: true, subtree: true, characterData: true })
      // The browser may have been quicker with a click that was sent after this.
      look()
      setTimeout(() => reject(new Error('It said: ' + [...said].join(' | '))), ${saidMsMax})
    })`)
    // The click before it may have failed, and then nobody waits for it.
    watched.catch(() => undefined)
    return watched
  }

  get heading(): Promise<string> {
    return this.page.getByRole('heading', { level: 1 }).innerText()
  }

  get rows(): Locator {
    return this.page.locator('[data-row]')
  }

  /** The path and the query of the page. */
  get path(): string {
    const { pathname, search } = new URL(this.page.url())
    return pathname + search
  }

  /** Stores a picture of the page, when pictures are wanted. */
  async shot(name: string): Promise<void> {
    if (pictures) await this.page.screenshot({ path: `${pictures}/dashboard-${name.replaceAll(' ', '-')}.png` })
  }

  /**
   * Fails on what the accessibility check finds serious, light and dark, and on pages that are wider than the screen, wide and narrow. The
   * seed draws for each page at which of the two widths the check runs; the long run has both.
   */
  async checkAccess(pages: readonly LookedAt[]): Promise<void> {
    for (const [i, [name, path, ready]] of pages.entries()) {
      const widths = (i + seed) % 2 === 0 ? [wide, narrow] : [narrow, wide]
      for (const [at, viewport] of widths.entries()) {
        await this.page.setViewportSize(viewport)
        if (at === 0 || long) await this.#checkLook(`${name} ${viewport.width}`, path, ready)
        else await this.shot(`${name} ${viewport.width} dark`)
        await this.page.waitForFunction(fits)
      }
    }
    await this.page.emulateMedia({ colorScheme: 'light' })
    await this.page.setViewportSize(wide)
  }

  async #checkLook(name: string, path: string, ready: string | RegExp): Promise<void> {
    await this.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await this.visit(path)
    await this.page.getByText(ready).first().waitFor()
    await this.page.evaluate(axe)
    await this.shot(`${name} light`)
    assert.deepEqual(await this.#faults({}), [], `${name} light`)
    // Only the style sheet knows that it is dark.
    await this.page.emulateMedia({ colorScheme: 'dark' })
    await this.shot(`${name} dark`)
    assert.deepEqual(await this.#faults({ runOnly: colorRules }), [], `${name} dark`)
  }

  async #faults(options: object): Promise<unknown> {
    const given = JSON.stringify({ resultTypes: ['violations'], ...options })
    return this.page.evaluate(`axe.run(document, ${given}).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ' ' + nodes.slice(0, 3).map(({ html }) => html).join(' ')))`)
  }

  /**
   * Answers requests to a path with a failure, presses "Try again" once it is shown, and lets later requests reach the service. For pages
   * that read again by themselves: a single failure could be gone before the button is pressed.
   */
  async tryAgain(path: string, { status, message }: AnswerGiven, visit: () => Promise<void>): Promise<void> {
    await this.page.route(path, (route) => route.fulfill({ status, json: { message } }))
    await visit()
    await this.page.getByText(message).waitFor()
    const asked = this.page.waitForRequest(path)
    await this.page.getByRole('button', { name: 'Try again' }).click()
    await asked
    await this.page.unroute(path)
  }

  /** Answers the next requests to a path of the service with these statuses, or not at all (`away`); later ones reach the service. */
  async answerWith(path: string, answers: readonly ('away' | AnswerGiven)[]): Promise<void> {
    const left = [...answers]
    await this.page.route(path, async (route) => {
      const next = left.shift()
      if (next === 'away') await route.abort()
      else if (next === undefined) await route.continue()
      else await route.fulfill({ status: next.status, headers: next.headers ?? {}, json: { message: next.message } })
    })
  }
}

type AnswerGiven = { readonly status: number; readonly message: string; readonly headers?: Record<string, string> }
