/** What texts are rendered for. Transactional texts come first. Previews and marketing take turns. */
export type RenderKind = 'transactional' | 'preview' | 'marketing'

/** The pages of one kind of a workspace. They are rendered in their order. */
export type RenderLane = { readonly workspace_id: number; readonly kind: RenderKind }

type InLane = { readonly lane: RenderLane }

/**
 * Pages that wait, lane by lane. Transactional lanes come first. Others take turns, and so do transactional ones, so that the pages of one
 * workspace do not delay another.
 */
export class RenderQueue<Page extends InLane> {
  /** By lane. The lane that was served longest ago comes first. */
  readonly #lanes = new Map<string, Page[]>()

  get size(): number {
    return [...this.#lanes.values()].reduce((sum, pages) => sum + pages.length, 0)
  }

  sizeOf(lane: RenderLane): number {
    return this.#lanes.get(keyOf(lane))?.length ?? 0
  }

  add(...pages: readonly Page[]): void {
    for (const page of pages) this.#pagesOf(page.lane).push(page)
  }

  /** Adds a page before the others of its lane. */
  addFirst(page: Page): void {
    this.#pagesOf(page.lane).unshift(page)
  }

  /** Takes the next page that may run. */
  take(mayRun: (page: Page) => boolean): Page | undefined {
    for (const isTransactional of [true, false]) {
      for (const [key, pages] of this.#lanes) {
        const first = pages[0]!
        if (isBulk(first.lane) === isTransactional || !mayRun(first)) continue
        pages.shift()
        // Moves the lane behind the others.
        this.#lanes.delete(key)
        if (pages.length > 0) this.#lanes.set(key, pages)
        return first
      }
    }
    return undefined
  }

  /** Removes pages and returns them. */
  remove(isWanted: (page: Page) => boolean): Page[] {
    const removed: Page[] = []
    for (const [key, pages] of this.#lanes) {
      const left = pages.filter((page) => !isWanted(page))
      removed.push(...pages.filter(isWanted))
      if (left.length > 0) this.#lanes.set(key, left)
      else this.#lanes.delete(key)
    }
    return removed
  }

  #pagesOf(lane: RenderLane): Page[] {
    const key = keyOf(lane)
    const pages = this.#lanes.get(key) ?? []
    this.#lanes.set(key, pages)
    return pages
  }
}

function keyOf({ workspace_id, kind }: RenderLane): string {
  return `${workspace_id} ${kind}`
}

function isBulk({ kind }: RenderLane): boolean {
  return kind !== 'transactional'
}

/** How many pages may be rendered at the same time. */
export type RenderShares = {
  readonly pagesMax: number
  /** Pages that are not transactional, of all workspaces together. */
  readonly bulkPagesMax: number
  /** Pages of one lane. */
  readonly lanePagesMax: Readonly<Record<RenderKind, number>>
}

/** Returns whether a page may be rendered beside those that are being rendered. Pure. */
export function mayRender(lane: RenderLane, running: readonly RenderLane[], shares: RenderShares): boolean {
  const isOfLane = (one: RenderLane) => keyOf(one) === keyOf(lane)
  return (
    running.length < shares.pagesMax &&
    (!isBulk(lane) || running.filter(isBulk).length < shares.bulkPagesMax) &&
    running.filter(isOfLane).length < shares.lanePagesMax[lane.kind]
  )
}
