import { availableParallelism } from 'node:os'
import { unavailable } from '../../base/errors.ts'
import { asksServers } from '../liquid/parse.ts'
import type { TextLimit } from '../liquid/run.ts'
import type { TemplateVariables } from '../liquid/variables.ts'
import type { RenderingSources } from './answer-queries.ts'
import type { AskCaller, Finishing } from './finishing.ts'
import type { RenderPerson, RenderText } from './process-protocol.ts'
import type { RenderKind } from './render-queue.ts'
import type { Rendered } from './rendered.ts'
import { type PoolOptions, type RenderCall, RenderingPool, renderPage } from './rendering-pool.ts'

/** The most people of one job. */
const pagePeople = 100
/** The most people of one call who may take too long. After that, the other people are not tried. */
export const slowPeopleMax = 3
/** The most pages of one lane that may wait for a process. */
export const lanePagesWaitingMax = 5_000
/** Pages of marketing texts and previews that are rendered at the same time; fewer with few cores. */
const bulkPagesMax = 2
/** Pages of transactional texts for which there is always a process. Each is of another workspace. */
const transactionalPages = 2
/** Processes for texts that ask other servers. */
export const askingProcessesMax = 2
/** Pages with texts that ask other servers: together, those that are not transactional, and of one kind of one workspace. */
export const askingShares = {
  pagesMax: 64,
  bulkPagesMax: 48,
  lanePagesMax: { transactional: 2, preview: 2, marketing: 2 },
}
/** Far more than the limits of one text allow. These end a text much earlier. */
const defaultUnresponsiveMs = 5_000

export type RendererServices = {
  readonly sources: RenderingSources
  /** `EASEL_SERVICE_NAME`, the word in `${service_id}`. */
  readonly serviceName?: string
  /** Processes that render marketing texts and previews at the same time; one per spare core, two at most, when absent. */
  readonly processes?: number
  /** Milliseconds for which a process may not respond before it is ended. */
  readonly unresponsiveMs?: number
}

export type RenderOptions = {
  readonly workspace_id: number
  readonly nowMs: number
  /** Marketing when absent. Transactional texts have processes that others do not use. */
  readonly kind?: RenderKind
  /** Limits of texts, by their names. A person with a longer text fails, before the rest of the text is rendered. */
  readonly limits?: Readonly<Record<string, TextLimit>>
  /** Finishes long texts where they are rendered. */
  readonly finishing?: FinishingOfPeople
  /** Texts that ask other servers fail. */
  readonly asksNobody?: boolean
}

/** `own`: what finishing needs for each person. `answer` answers its questions. */
export type FinishingOfPeople = Finishing & { readonly own: readonly unknown[]; readonly answer: AskCaller }

export type Renderer = {
  /** Renders the texts of a message for one person. */
  render(
    texts: Readonly<Record<string, string>>,
    variables: TemplateVariables,
    options: RenderOptions,
  ): Promise<Rendered>
  /** Renders the same texts for many people, in their order. Rejects only when a source rejects, or when too many texts wait (503). */
  renderMany(
    texts: Readonly<Record<string, string>>,
    people: readonly TemplateVariables[],
    options: RenderOptions,
  ): Promise<Rendered[]>
  /**
   * Renders the same texts for as many people as have texts of `charactersMax` together. The others are undefined. A byte of what was
   * finished counts as a character.
   */
  renderWithin(
    texts: Readonly<Record<string, string>>,
    people: readonly TemplateVariables[],
    charactersMax: number,
    options: RenderOptions,
  ): Promise<(Rendered | undefined)[]>
  /** Rejects all calls in progress, and ends the processes. */
  close(): Promise<void>
}

/**
 * Renders in processes. A template cannot block the service, and a template that does not end is ended with its process. Texts that ask
 * other servers have processes of their own. Texts without Liquid are returned unchanged, unless they may be finished.
 */
export function openRenderer(services: RendererServices): Renderer {
  const pools = new RenderingPools(services)
  const renderWithin: Renderer['renderWithin'] = async (texts, people, charactersMax, options) => {
    const entries = Object.entries(texts).map(([name, text]): RenderText => [name, text, options.limits?.[name]])
    if (!options.finishing && !entries.some(([, text]) => text.includes('{{') || text.includes('{%')))
      return people.map(() => ({ outcome: 'rendered', texts: { ...texts } }))
    return people.length === 0 ? [] : pools.render(entries, people, charactersMax, options)
  }
  return {
    renderWithin,
    async renderMany(texts, people, options) {
      return (await renderWithin(texts, people, Infinity, options)) as Rendered[]
    },
    async render(texts, variables, options) {
      const [rendered] = await renderWithin(texts, [variables], Infinity, options)
      return rendered!
    },
    close: () => pools.close(),
  }
}

/** One pool for texts that ask other servers, and one for the others. */
class RenderingPools {
  readonly #plain: RenderingPool
  readonly #asking: RenderingPool
  #isClosed = false

  constructor(services: RendererServices) {
    const { sources, serviceName = 'service', unresponsiveMs = defaultUnresponsiveMs } = services
    const bulk = services.processes ?? Math.max(1, Math.min(bulkPagesMax, availableParallelism() - 1))
    const pages = bulk + transactionalPages
    const common = { sources, serviceName, unresponsiveMs }
    const onAsks: PoolOptions['onAsks'] = (page) => this.#asking.add(page)
    this.#asking = new RenderingPool({
      ...{ ...common, mayAsk: true, onAsks },
      ...{ processesMax: askingProcessesMax, shares: askingShares },
    })
    this.#plain = new RenderingPool({
      ...{ ...common, mayAsk: false, onAsks },
      ...{
        processesMax: pages,
        shares: {
          pagesMax: pages,
          bulkPagesMax: bulk,
          lanePagesMax: { transactional: 1, preview: 1, marketing: bulk },
        },
      },
    })
  }

  render(
    texts: readonly RenderText[],
    people: readonly TemplateVariables[],
    charactersMax: number,
    { workspace_id, nowMs, kind = 'marketing', finishing, asksNobody = false }: RenderOptions,
  ): Promise<(Rendered | undefined)[]> {
    const lane = { workspace_id, kind }
    const pool = texts.some(([, text]) => asksServers(text)) ? this.#asking : this.#plain
    const count = Math.ceil(people.length / pagePeople)
    if (this.#isClosed || pool.waitingOf(lane) + count > lanePagesWaitingMax)
      throw unavailable('Too many texts wait to be rendered')
    const call: RenderCall = {
      workspace_id,
      asksNobody,
      answer: finishing?.answer ?? noAnswer,
      names: texts.map(([name]) => name),
      rendered: new Array(people.length).fill(undefined),
      left: people.length,
      slowLeft: slowPeopleMax,
      charactersLeft: charactersMax,
      isOver: false,
      result: Promise.withResolvers(),
    }
    const job = { texts, nowMs, ...(finishing && { finishing: finishingOfJob(finishing) }) }
    const pages = Array.from({ length: count }, (_, n) => {
      const from = n * pagePeople
      const some = people.slice(from, from + pagePeople).map((variables, i): RenderPerson => {
        return finishing ? { variables, own: finishing.own[from + i] } : { variables }
      })
      return renderPage({ lane, call, positions: some.map((_, i) => from + i) }, { ...job, people: some })
    })
    pool.add(...pages)
    return call.result.promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const pages = await Promise.all([this.#plain.close(), this.#asking.close()])
    for (const { call } of pages.flat()) call.result.reject(unavailable('The service is leaving'))
  }
}

/** The part of finishing that is copied to a process. */
function finishingOfJob({ module, takes, aboveCharacters, shared }: Finishing): Finishing {
  return { module, takes, aboveCharacters, shared }
}

function noAnswer(): Promise<never> {
  return Promise.reject(new Error('nothing is finished for this call'))
}
