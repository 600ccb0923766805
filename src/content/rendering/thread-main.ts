import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { TemplateEngine, type TextOutcome, templateScope } from '../liquid/engine.ts'
import type { ParsedTemplate } from '../liquid/parsed-template.ts'
import {
  blockDepthMax,
  PersonBudget,
  personQueriesMax,
  queriesMax,
  type RenderRun,
  WorkLimitExceeded,
  waitMs,
} from '../liquid/run.ts'
import type { SourceQuery } from '../liquid/source-query.ts'
import type { RenderFailed } from './rendered.ts'
import {
  type FromThread,
  givenUpMessage,
  heartbeatPerson,
  heartbeatTurn,
  type NumberedQuery,
  type PersonOutcome,
  type QueryAnswer,
  type RenderJob,
  type ThreadStart,
  type ToThread,
} from './thread-protocol.ts'

/** The most people of one job who are rendered at the same time when templates query sources. */
const concurrentPeople = 16
/** Characters of results that are sent together. */
const batchCharacters = 1_000_000
const beatEveryMs = 200

const { serviceName, heartbeat } = workerData as ThreadStart
const engine = new TemplateEngine(serviceName)
const clock = systemClock()

type Waiting = { resolve(value: unknown): void; reject(error: Error): void }
const waiting = new Map<number, Waiting>()
let unsent: NumberedQuery[] = []
let lastQuery = 0

function send(message: FromThread): void {
  parentPort!.postMessage(message)
}

function beat(person?: number): void {
  if (person !== undefined) Atomics.store(heartbeat, heartbeatPerson, person)
  Atomics.add(heartbeat, heartbeatTurn, 1)
}

/** Sends a query to the main thread. Queries of one turn of the event loop are sent together. */
function query(sourceQuery: SourceQuery): Promise<unknown> {
  const id = ++lastQuery
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  waiting.set(id, { resolve, reject })
  if (unsent.length === 0) {
    setImmediate(() => {
      send({ queries: unsent })
      unsent = []
    })
  }
  unsent.push({ id, query: sourceQuery })
  return promise
}

/** Delivers each answer in a turn of its own, so that the time until the next query is spent on only one person. */
function deliver(answers: readonly QueryAnswer[]): void {
  for (const answer of answers) {
    const { resolve, reject } = waiting.get(answer.id)!
    waiting.delete(answer.id)
    setImmediate(() => {
      if ('error' in answer) reject(new Error(answer.error))
      else resolve(answer.value)
    })
  }
}

/** Loads the blocks that templates include, and the blocks inside these. A missing block fails only the text that renders it. */
async function loadBlocks(templates: readonly ParsedTemplate[]): Promise<Map<string, ParsedTemplate>> {
  const blocks = new Map<string, ParsedTemplate>()
  let names = unknownBlocks(templates, blocks)
  for (let depth = 0; depth < blockDepthMax && names.length > 0; depth++) {
    const texts = (await query({ kind: 'blocks', names })) as (string | undefined)[]
    const found: ParsedTemplate[] = []
    names.forEach((name, i) => {
      const text = texts[i]
      if (text === undefined) return
      const block = engine.parse(text)
      blocks.set(name, block)
      found.push(block)
    })
    names = unknownBlocks(found, blocks)
  }
  return blocks
}

function unknownBlocks(templates: readonly ParsedTemplate[], known: ReadonlyMap<string, ParsedTemplate>): string[] {
  const names = new Set(templates.flatMap((template) => [...template.blocks]))
  return [...names].filter((name) => !known.has(name))
}

class JobRun {
  readonly #job: RenderJob
  readonly #templates: readonly ParsedTemplate[]
  readonly #blocks: ReadonlyMap<string, ParsedTemplate>
  #slowLeft: number
  #outcomes: [number, PersonOutcome][] = []
  #characters = 0

  constructor(job: RenderJob, templates: readonly ParsedTemplate[], blocks: ReadonlyMap<string, ParsedTemplate>) {
    this.#job = job
    this.#templates = templates
    this.#blocks = blocks
    this.#slowLeft = job.slowLeft
  }

  /** Renders one person after another. For templates that query no source. */
  runNow(): void {
    this.#job.people.forEach((variables, person) => {
      beat(person)
      if (this.#isGivenUp(person)) return
      const texts: string[] = []
      const budget = new PersonBudget()
      for (const [i, template] of this.#templates.entries()) {
        const outcome = engine.renderNow(template, templateScope(variables), this.#run(i, budget))
        if (!this.#addText(person, i, outcome, texts)) return
      }
      this.#add(person, { texts })
    })
    this.#send(true)
  }

  /**
   * Renders some people while others wait for sources. Sends each result at once, because a second try could repeat a request to a server.
   */
  async run(): Promise<void> {
    let next = 0
    const lane = async () => {
      for (let person = next++; person < this.#job.people.length; person = next++) {
        await nextTurn()
        beat(person)
        if (!this.#isGivenUp(person)) await this.#render(person)
        this.#send(false)
      }
    }
    const timer = setInterval(() => beat(), beatEveryMs)
    await Promise.all(Array.from({ length: concurrentPeople }, lane))
    clearInterval(timer)
    this.#send(true)
  }

  async #render(person: number): Promise<void> {
    const texts: string[] = []
    const budget = new PersonBudget()
    const ask = personQuery(person, budget)
    for (const [i, template] of this.#templates.entries()) {
      const run = { ...this.#run(i, budget), query: textQuery(ask) }
      const outcome = await engine.render(template, templateScope(this.#job.people[person]!), run)
      if (!this.#addText(person, i, outcome, texts)) return
    }
    this.#add(person, { texts })
  }

  #run(i: number, budget: PersonBudget): RenderRun {
    const limit = this.#job.texts[i]![2]
    return { nowMs: this.#job.nowMs, blocks: this.#blocks, path: [], serviceName, budget, ...(limit && { limit }) }
  }

  /** Adds a text of a person. Returns false when it failed, so that the other texts of the person are not rendered. */
  #addText(person: number, i: number, outcome: TextOutcome, texts: string[]): boolean {
    if ('text' in outcome) {
      texts.push(outcome.text)
      return true
    }
    if ('aborted' in outcome) this.#add(person, outcome)
    else {
      const text = this.#job.texts[i]![0]
      const { message } = outcome.failed
      const failed = {
        ...({ outcome: 'failed', text, ...outcome.failed } as const),
        message: outcome.isTooLong ? `${text} ${message}` : message,
      } as const
      if (outcome.slow) this.#slowLeft--
      this.#add(person, { failed, slow: outcome.slow })
    }
    return false
  }

  #isGivenUp(person: number): boolean {
    if (this.#slowLeft > 0) return false
    this.#add(person, { failed: { outcome: 'failed', message: givenUpMessage }, slow: false })
    return true
  }

  #add(person: number, outcome: PersonOutcome): void {
    this.#outcomes.push([person, outcome])
    if ('texts' in outcome) this.#characters += outcome.texts.reduce((sum, text) => sum + text.length, 0)
    if (this.#characters >= batchCharacters) this.#send(false)
  }

  #send(last: boolean): void {
    if (this.#outcomes.length > 0 || last) send({ outcomes: this.#outcomes, last })
    this.#outcomes = []
    this.#characters = 0
  }
}

type Ask = (query: SourceQuery) => Promise<unknown>

/** Returns the query function for the texts of one person, with the limits of a person. */
function personQuery(person: number, budget: PersonBudget): Ask {
  let queries = 0
  let waitedMs = 0
  return async (one) => {
    if (++queries > personQueriesMax)
      throw new Error(`the texts of a message may ask other servers and catalogs ${personQueriesMax} times`)
    if (waitedMs > waitMs) throw new WorkLimitExceeded(`the texts waited longer than ${waitMs} ms for answers`)
    const startMs = clock.elapsed()
    const answer = await query(one)
    const tookMs = clock.elapsed() - startMs
    waitedMs += tookMs
    budget.work.extend(tookMs)
    beat(person)
    return answer
  }
}

/** Limits the queries of one text. */
function textQuery(ask: Ask): Ask {
  let queries = 0
  return async (one) => {
    if (++queries > queriesMax) throw new Error(`a text may ask other servers and catalogs ${queriesMax} times`)
    return ask(one)
  }
}

function failAll(job: RenderJob, message: string, position: Partial<RenderFailed> = {}): void {
  const outcome = { failed: { ...position, outcome: 'failed', message }, slow: false } as const
  send({ outcomes: job.people.map((_, person) => [person, outcome]), last: true })
}

async function runJob(job: RenderJob): Promise<void> {
  beat(0)
  const templates = job.texts.map(([, text]) => engine.parse(text))
  const broken = templates.findIndex((template) => template.mistake)
  if (broken !== -1) {
    const { message, line, column } = templates[broken]!.mistake!
    failAll(job, message, { text: job.texts[broken]![0], line, column })
    return
  }
  const timer = setInterval(() => beat(), beatEveryMs)
  const blocks = await loadBlocks(templates).finally(() => clearInterval(timer))
  const run = new JobRun(job, templates, blocks)
  const queries = [...templates, ...blocks.values()].some((template) => template.queriesSources)
  if (queries) await run.run()
  else run.runNow()
}

parentPort!.on('message', (message: ToThread) => {
  if ('job' in message) runJob(message.job).then(undefined, (error: Error) => failAll(message.job, error.message))
  else deliver(message.answers)
})
