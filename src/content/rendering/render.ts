import { availableParallelism } from 'node:os'
import { unavailable } from '../../base/errors.ts'
import { answerAsks, type Sources } from '../liquid/answers.ts'
import { type FromThread, givenUp, type Order, type Short } from '../liquid/order.ts'
import type { Personal, Rendered } from '../liquid/personal.ts'
import { Thread, watchMs } from './rendering-thread.ts'

/** People that a thread renders for one order. */
const pagePeople = 100
/** People of one call who may take too long; the rest is not tried. */
export const slowPeopleMax = 3
/** Orders that may wait for a thread. */
const ordersWaitingMax = 10_000
const threadsMax = 2
/** Rendering one text is over, or refused, long before. */
const usualStillMs = 5_000

export type RendererParts = {
  readonly sources: Sources
  /** `EASEL_SERVICE_NAME`, the word in `${service_id}`. */
  readonly serviceName?: string
  /** Threads that render; one per spare core, two at most, when absent. */
  readonly threads?: number
  /** Milliseconds for which a thread may stand still before it is ended. */
  readonly stillMs?: number
}

export type RenderOptions = { readonly workspace_id: number; readonly nowMs: number }

export type Renderer = {
  /** The texts of a message for one person. */
  render(texts: Readonly<Record<string, string>>, personal: Personal, options: RenderOptions): Promise<Rendered>
  /** The same texts for many people, in their order. Rejects when a source does, and only then. */
  renderMany(
    texts: Readonly<Record<string, string>>,
    people: readonly Personal[],
    options: RenderOptions,
  ): Promise<Rendered[]>
  /** Ends what is under way. */
  close(): Promise<void>
}

/** What one caller waits for. */
type Call = {
  readonly names: readonly string[]
  readonly rendered: Rendered[]
  left: number
  slowLeft: number
  readonly promised: PromiseWithResolvers<Rendered[]>
}

/** A page of a call; `places` are those of its people in the call. */
type Page = {
  readonly call: Call
  readonly order: Order
  readonly places: readonly number[]
  readonly open: Set<number>
}

/**
 * Renders in threads of their own: whatever a template does, this thread stays free, and a template that does not end is ended.
 * Texts without Liquid are answered as they are.
 */
export function openRenderer(parts: RendererParts): Renderer {
  const crew = new Crew(parts)
  const renderMany: Renderer['renderMany'] = async (texts, people, options) => {
    const entries = Object.entries(texts)
    if (!entries.some(([, text]) => text.includes('{{') || text.includes('{%')))
      return people.map(() => ({ outcome: 'rendered', texts: { ...texts } }))
    return people.length === 0 ? [] : crew.render(entries, people, options)
  }
  return {
    renderMany,
    async render(texts, personal, options) {
      const [rendered] = await renderMany(texts, [personal], options)
      return rendered!
    },
    close: () => crew.close(),
  }
}

class Crew {
  readonly #sources: Sources
  readonly #serviceName: string
  readonly #threadsMax: number
  readonly #stillMs: number
  readonly #threads = new Set<Thread>()
  readonly #pages = new Map<Thread, Page>()
  readonly #waiting: Page[] = []
  #lastOrder = 0
  #watch: NodeJS.Timeout | undefined
  #closed = false

  constructor({ sources, serviceName = 'service', threads, stillMs = usualStillMs }: RendererParts) {
    this.#stillMs = stillMs
    this.#sources = sources
    this.#serviceName = serviceName
    this.#threadsMax = threads ?? Math.max(1, Math.min(threadsMax, availableParallelism() - 1))
  }

  render(
    texts: readonly (readonly [string, string])[],
    people: readonly Personal[],
    options: RenderOptions,
  ): Promise<Rendered[]> {
    const pages = Math.ceil(people.length / pagePeople)
    if (this.#closed || this.#waiting.length + pages > ordersWaitingMax)
      throw unavailable('Too many texts wait to be rendered')
    const call: Call = {
      names: texts.map(([name]) => name),
      rendered: new Array(people.length),
      left: people.length,
      slowLeft: slowPeopleMax,
      promised: Promise.withResolvers(),
    }
    for (let from = 0; from < people.length; from += pagePeople) {
      const places = people.slice(from, from + pagePeople).map((_, i) => from + i)
      this.#waiting.push(this.#page(call, { ...options, texts, people: people.slice(from, from + pagePeople) }, places))
    }
    this.#next()
    return call.promised.promise
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#watch)
    for (const page of [...this.#waiting.splice(0), ...this.#pages.values()])
      page.call.promised.reject(unavailable('The service is leaving'))
    this.#pages.clear()
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #page(call: Call, order: Omit<Order, 'id' | 'slowLeft'>, places: readonly number[]): Page {
    const id = ++this.#lastOrder
    return { call, order: { ...order, id, slowLeft: call.slowLeft }, places, open: new Set(places.keys()) }
  }

  /** Gives waiting pages to threads that are free. */
  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread()
      if (!thread) break
      const page = this.#waiting.shift()!
      this.#pages.set(thread, page)
      thread.begin({ ...page.order, slowLeft: page.call.slowLeft })
    }
    if (this.#pages.size > 0) this.#watch ??= setInterval(() => this.#look(), watchMs)
    else {
      clearInterval(this.#watch)
      this.#watch = undefined
    }
  }

  #freeThread(): Thread | undefined {
    const free = [...this.#threads].find((thread) => !this.#pages.has(thread))
    if (free || this.#threads.size >= this.#threadsMax) return free
    const thread = new Thread(this.#serviceName, this.#stillMs, {
      told: (news) => this.#hear(thread, news),
      died: (reason) => this.#bury(thread, reason),
    })
    this.#threads.add(thread)
    return thread
  }

  #look(): void {
    for (const thread of this.#pages.keys()) thread.look()
  }

  #hear(thread: Thread, news: FromThread): void {
    const page = this.#pages.get(thread)
    if (!page) return
    if ('asks' in news) {
      const tell = (answers: Parameters<Thread['answer']>[0]) => {
        if (this.#pages.get(thread) === page) thread.answer(answers)
      }
      // What cannot be answered is nobody's fault but ours: the thread is ended with its questions, the caller hears why.
      for (const answer of answerAsks(news.asks, page.order.workspace_id, this.#sources, tell))
        answer.then(undefined, (error) => this.#drop(thread, page, error))
      return
    }
    for (const [person, short] of news.done) this.#settle(page, person, short)
    if (news.last) {
      this.#pages.delete(thread)
      thread.rest()
      this.#next()
    }
  }

  #settle({ call, places, open }: Page, person: number, short: Short): void {
    if (!open.delete(person)) return
    call.rendered[places[person]!] = renderedOf(short, call.names)
    if ('failed' in short && short.slow) call.slowLeft--
    call.left--
    if (call.left === 0) call.promised.resolve(call.rendered)
  }

  /** A source has failed. */
  #drop(thread: Thread, page: Page, error: unknown): void {
    page.call.promised.reject(error)
    for (let i = this.#waiting.length - 1; i >= 0; i--)
      if (this.#waiting[i]!.call === page.call) this.#waiting.splice(i, 1)
    if (this.#pages.get(thread) !== page) return
    this.#forget(thread)
    void thread.end()
    this.#next()
  }

  #forget(thread: Thread): void {
    this.#threads.delete(thread)
    this.#pages.delete(thread)
  }

  /** A thread has died of what it rendered, or could not start. The others of its page are tried again without the culprit. */
  #bury(thread: Thread, reason: { failed: string; person: number } | { fault: Error }): void {
    const page = this.#pages.get(thread)
    this.#forget(thread)
    if (page && 'fault' in reason) page.call.promised.reject(reason.fault)
    if (page && 'failed' in reason) {
      const { order, places, open, call } = page
      const culprit = open.has(reason.person) ? reason.person : Math.min(...open)
      const text = order.texts.length === 1 ? { text: order.texts[0]![0] } : {}
      this.#settle(page, culprit, { failed: { outcome: 'failed', message: reason.failed, ...text }, slow: true })
      const left = [...open]
      if (call.slowLeft <= 0) {
        for (const person of left)
          this.#settle(page, person, { failed: { outcome: 'failed', message: givenUp }, slow: false })
      } else if (left.length > 0) {
        const people = left.map((person) => order.people[person]!)
        this.#waiting.unshift(
          this.#page(
            call,
            { ...order, people },
            left.map((person) => places[person]!),
          ),
        )
      }
    }
    this.#next()
  }
}

function renderedOf(short: Short, names: readonly string[]): Rendered {
  if ('aborted' in short) return { outcome: 'aborted', reason: short.aborted }
  if ('failed' in short) return short.failed
  return { outcome: 'rendered', texts: Object.fromEntries(names.map((name, i) => [name, short.texts[i]!])) }
}
