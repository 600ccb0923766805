import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { FinishDefect, TextFinisher } from './finish-texts.ts'
import type { Finished } from './finishing.ts'
import {
  type Beat,
  charactersOf,
  type FromProcess,
  givenUpMessage,
  type JobEnd,
  type JobQuery,
  type NumberedQuery,
  type PersonOutcome,
  type QueryAnswer,
  type RenderJob,
  type ToProcess,
} from './process-protocol.ts'
import type { RenderFailed } from './rendered.ts'

/** The most people of one job who are rendered at the same time when templates query sources. */
const concurrentPeople = 16
/** Characters of results that are sent together. The service takes three times as long for messages of a megabyte. */
const batchCharacters = 100_000
const beatEveryMs = 200
/** After this time a job gives the process to others. */
const turnMs = 100

const engine = new TemplateEngine(process.argv[2]!)
const serviceName = process.argv[2]!
const clock = systemClock()

type Waiting = { resolve(value: unknown): void; reject(error: Error): void }
const waiting = new Map<number, Waiting>()
let unsent: NumberedQuery[] = []
let lastQuery = 0
let jobs = 0

function send(message: FromProcess): void {
  process.send!(message)
}

function beat(now?: Beat): void {
  send({ beat: now })
}

/** Sends a query to the service. Queries of one turn of the event loop are sent together. */
function query(job: number, jobQuery: JobQuery): Promise<unknown> {
  const id = ++lastQuery
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  waiting.set(id, { resolve, reject })
  if (unsent.length === 0) {
    setImmediate(() => {
      send({ queries: unsent })
      unsent = []
    })
  }
  unsent.push({ id, job, query: jobQuery })
  return promise
}

/** Delivers each answer in a turn of its own, so that the time until the next query is spent on only one person. */
function deliver(answers: readonly QueryAnswer[]): void {
  for (const answer of answers) {
    const one = waiting.get(answer.id)
    waiting.delete(answer.id)
    setImmediate(() => {
      if ('error' in answer) one?.reject(new Error(answer.error))
      else one?.resolve(answer.value)
    })
  }
}

/** Loads the blocks that templates include, and the blocks inside these. A missing block fails only the text that renders it. */
async function loadBlocks(job: number, templates: readonly ParsedTemplate[]): Promise<Map<string, ParsedTemplate>> {
  const blocks = new Map<string, ParsedTemplate>()
  let names = unknownBlocks(templates, blocks)
  for (let depth = 0; depth < blockDepthMax && names.length > 0; depth++) {
    const texts = (await query(job, { kind: 'blocks', names })) as (string | undefined)[]
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
  readonly #queriesSources: boolean
  #slowLeft: number
  #charactersLeft: number
  readonly #finisher: TextFinisher | undefined
  #outcomes: [number, PersonOutcome][] = []
  #unsentCharacters = 0

  constructor(job: RenderJob, templates: readonly ParsedTemplate[], blocks: ReadonlyMap<string, ParsedTemplate>) {
    this.#job = job
    this.#templates = templates
    this.#blocks = blocks
    this.#queriesSources = [...templates, ...blocks.values()].some((template) => template.queriesSources)
    this.#slowLeft = job.slowLeft
    this.#charactersLeft = job.charactersLeft
    const ask = (question: unknown) => query(job.id, { kind: 'caller', question })
    if (job.finishing) this.#finisher = new TextFinisher(job, job.finishing, ask)
  }

  start(): Promise<void> {
    return this.#queriesSources ? this.#runWithSources() : this.#runNow()
  }

  /**
   * Renders one person after another, for one turn. For templates that query no source. It waits only for texts that are finished.
   * A sign of life for each person would cost a tenth of the rendering, and a turn is shorter than the time in which one is expected.
   */
  async #runNow(): Promise<void> {
    const endMs = clock.elapsed() + turnMs
    let end: JobEnd = 'done'
    for (const person of this.#job.people.keys()) {
      if (end === 'done' && person > 0 && clock.elapsed() >= endMs) end = 'turn'
      if (end !== 'done') break
      if (this.#job.isAlone) this.#beat(person)
      if (this.#isGivenUp(person)) continue
      const texts = this.#renderNow(person)
      if (!texts) continue
      const hasRoom = this.#finisher?.isFor(texts)
        ? await this.#finishTexts(person, texts)
        : this.#addTexts(person, texts)
      if (!hasRoom) end = 'full'
    }
    this.#send(end)
  }

  /** Returns undefined when a text failed. */
  #renderNow(person: number): string[] | undefined {
    const texts: string[] = []
    const budget = new PersonBudget()
    const { variables } = this.#job.people[person]!
    for (const [i, template] of this.#templates.entries()) {
      const outcome = engine.renderNow(template, templateScope(variables), this.#run(i, budget))
      if (!this.#addText(person, i, outcome, texts)) return undefined
    }
    return texts
  }

  /**
   * Renders some people while others wait for sources. Sends each result at once, because a second try could repeat a request to a server.
   */
  async #runWithSources(): Promise<void> {
    let next = 0
    let end: JobEnd = 'done'
    // Texts that ask other servers do not hold the process while they wait.
    const endMs = this.#job.mayAsk ? Infinity : clock.elapsed() + turnMs
    const lane = async () => {
      for (let person = next++; person < this.#job.people.length && end === 'done'; person = next++) {
        await nextTurn()
        if (end === 'done' && person > 0 && clock.elapsed() >= endMs) end = 'turn'
        if (end !== 'done') return
        this.#beat(person)
        if (!this.#isGivenUp(person) && !(await this.#render(person))) end = 'full'
        this.#send()
      }
    }
    await Promise.all(Array.from({ length: this.#job.isAlone ? 1 : concurrentPeople }, lane))
    this.#send(end)
  }

  /** Returns false when there is no room for the texts. */
  async #render(person: number): Promise<boolean> {
    const texts: string[] = []
    const budget = new PersonBudget()
    const ask = this.#personQuery(person, budget)
    for (const [i, template] of this.#templates.entries()) {
      const run = { ...this.#run(i, budget), query: textQuery(ask) }
      const outcome = await engine.render(template, templateScope(this.#job.people[person]!.variables), run)
      if (!this.#addText(person, i, outcome, texts)) return true
    }
    return this.#finisher?.isFor(texts) ? this.#finishTexts(person, texts) : this.#addTexts(person, texts)
  }

  /** Finishes and adds long texts of a person. Returns false when there is no room for them. */
  async #finishTexts(person: number, texts: string[]): Promise<boolean> {
    // They hardly become shorter, and finishing takes long.
    if (charactersOf({ texts }) > this.#charactersLeft) return false
    this.#beat(person)
    return this.#addTexts(person, texts, await this.#finisher!.finish(person, texts))
  }

  #beat(person: number): void {
    const { id, isAlone } = this.#job
    // `#runNow` tells of each person only when the job is alone.
    beat({ job: id, person, isCertain: isAlone, isLatest: isAlone || this.#queriesSources })
  }

  /** Returns the query function for the texts of one person, with the limits of a person. */
  #personQuery(person: number, budget: PersonBudget): Ask {
    let queries = 0
    let waitedMs = 0
    return async (one) => {
      if (++queries > personQueriesMax)
        throw new Error(`the texts of a message may ask other servers and catalogs ${personQueriesMax} times`)
      if (waitedMs > waitMs) throw new WorkLimitExceeded(`the texts waited longer than ${waitMs} ms for answers`)
      const startMs = clock.elapsed()
      const answer = await query(this.#job.id, one)
      const tookMs = clock.elapsed() - startMs
      waitedMs += tookMs
      budget.work.extend(tookMs)
      this.#beat(person)
      return answer
    }
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

  /** Adds the texts of a person. Returns false when there is no room for them. */
  #addTexts(person: number, texts: readonly string[], finished?: Finished): boolean {
    const outcome = { texts, ...(finished && { finished }) }
    const characters = charactersOf(outcome)
    if (characters > this.#charactersLeft) return false
    this.#charactersLeft -= characters
    this.#unsentCharacters += characters
    this.#add(person, outcome)
    return true
  }

  #isGivenUp(person: number): boolean {
    if (this.#slowLeft > 0) return false
    this.#add(person, { failed: { outcome: 'failed', message: givenUpMessage }, slow: false })
    return true
  }

  #add(person: number, outcome: PersonOutcome): void {
    this.#outcomes.push([person, outcome])
    if (this.#unsentCharacters >= batchCharacters) this.#send()
  }

  #send(end?: JobEnd): void {
    if (this.#outcomes.length > 0 || end) send({ job: this.#job.id, outcomes: this.#outcomes, ...(end && { end }) })
    this.#outcomes = []
    this.#unsentCharacters = 0
  }
}

type Ask = (query: JobQuery) => Promise<unknown>

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
  send({ job: job.id, outcomes: job.people.map((_, person) => [person, outcome]), end: 'done' })
}

async function runJob(job: RenderJob): Promise<void> {
  beat({ job: job.id, person: 0, isCertain: job.isAlone, isLatest: job.isAlone })
  const templates = job.texts.map(([, text]) => engine.parse(text))
  const broken = templates.findIndex((template) => template.mistake)
  if (broken !== -1) {
    const { message, line, column } = templates[broken]!.mistake!
    failAll(job, message, { text: job.texts[broken]![0], line, column })
    return
  }
  const blocks = await loadBlocks(job.id, templates)
  const all = [...templates, ...blocks.values()]
  if (!job.mayAsk && all.some((template) => template.asksServers)) {
    send({ job: job.id, outcomes: [], end: 'asks' })
    return
  }
  await new JobRun(job, templates, blocks).start()
}

let beats: NodeJS.Timeout | undefined

function take(job: RenderJob): void {
  if (jobs++ === 0) beats = setInterval(() => beat(), beatEveryMs)
  runJob(job)
    .then(undefined, (error: Error) => {
      if (error instanceof FinishDefect) send({ job: job.id, defect: error.message })
      else failAll(job, error.message)
    })
    .finally(() => {
      if (--jobs === 0) clearInterval(beats)
    })
}

process.on('message', (message: ToProcess) => {
  if ('job' in message) take(message.job)
  else deliver(message.answers)
})
// The service has ended.
process.on('disconnect', () => process.exit())
