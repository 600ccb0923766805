import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import type { Ask } from '../liquid/asks.ts'
import { Engine, type Outcome, scopeOf } from '../liquid/engine.ts'
import {
  type Answer,
  type FromThread,
  givenUp,
  type Order,
  pulsePerson,
  pulseTurn,
  type Short,
  type ThreadStart,
  type ToThread,
} from '../liquid/order.ts'
import type { Failed } from '../liquid/personal.ts'
import { asksMax, blockDepthMax, TimeLimit, TooSlow, waitMs } from '../liquid/run.ts'
import type { Template } from '../liquid/template.ts'

/** People of one order who wait for answers at the same time. */
const atOnce = 16
/** Characters that go back together. */
const batchCharacters = 1_000_000
const pulseMs = 200

const { serviceName, pulse } = workerData as ThreadStart
const engine = new Engine(serviceName)
const clock = systemClock()

type Waiting = { resolve(value: unknown): void; reject(error: Error): void }
const waiting = new Map<number, Waiting>()
let asked: { id: number; ask: Ask }[] = []
let lastAsk = 0

function tell(news: FromThread): void {
  parentPort!.postMessage(news)
}

function beat(person?: number): void {
  if (person !== undefined) Atomics.store(pulse, pulsePerson, person)
  Atomics.add(pulse, pulseTurn, 1)
}

/** Questions of one turn of the loop go out together. */
function ask(question: Ask): Promise<unknown> {
  const id = ++lastAsk
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  waiting.set(id, { resolve, reject })
  if (asked.length === 0) {
    setImmediate(() => {
      tell({ asks: asked })
      asked = []
    })
  }
  asked.push({ id, ask: question })
  return promise
}

/** Each answer has a turn of the loop to itself: up to the next question its person is worked for alone, and the work counted is theirs. */
function hear(answers: readonly Answer[]): void {
  for (const answer of answers) {
    const { resolve, reject } = waiting.get(answer.id)!
    waiting.delete(answer.id)
    setImmediate(() => {
      if ('error' in answer) reject(new Error(answer.error))
      else resolve(answer.value)
    })
  }
}

/** The blocks that the templates mention, and those that they mention. A block that is not there is missed when it is needed. */
async function readBlocks(templates: readonly Template[]): Promise<Map<string, Template>> {
  const blocks = new Map<string, Template>()
  let wanted = namesOf(templates, blocks)
  for (let depth = 0; depth < blockDepthMax && wanted.length > 0; depth++) {
    const texts = (await ask({ kind: 'blocks', names: wanted })) as (string | undefined)[]
    const found: Template[] = []
    wanted.forEach((name, i) => {
      const text = texts[i]
      if (text === undefined) return
      const block = engine.parse(text)
      blocks.set(name, block)
      found.push(block)
    })
    wanted = namesOf(found, blocks)
  }
  return blocks
}

function namesOf(templates: readonly Template[], known: ReadonlyMap<string, Template>): string[] {
  const names = new Set(templates.flatMap((template) => [...template.blocks]))
  return [...names].filter((name) => !known.has(name))
}

/** One order at work. */
class Work {
  readonly #order: Order
  readonly #templates: readonly Template[]
  readonly #blocks: ReadonlyMap<string, Template>
  #slowLeft: number
  #done: [number, Short][] = []
  #characters = 0

  constructor(order: Order, templates: readonly Template[], blocks: ReadonlyMap<string, Template>) {
    this.#order = order
    this.#templates = templates
    this.#blocks = blocks
    this.#slowLeft = order.slowLeft
  }

  /** Nobody waits for anything: one after the other. */
  runNow(): void {
    this.#order.people.forEach((personal, person) => {
      beat(person)
      if (this.#isGivenUp(person)) return
      const texts: string[] = []
      for (const [i, template] of this.#templates.entries()) {
        const outcome = engine.renderNow(template, scopeOf(personal), this.#run())
        if (!this.#take(person, i, outcome, texts)) return
      }
      this.#put(person, { texts })
    })
    this.#send(true)
  }

  /** Some wait while others are rendered; what is finished is told at once, since asking again may do something twice. */
  async run(): Promise<void> {
    let next = 0
    const lane = async () => {
      for (let person = next++; person < this.#order.people.length; person = next++) {
        await nextTurn()
        beat(person)
        if (!this.#isGivenUp(person)) await this.#render(person)
        this.#send(false)
      }
    }
    const timer = setInterval(() => beat(), pulseMs)
    await Promise.all(Array.from({ length: atOnce }, lane))
    clearInterval(timer)
    this.#send(true)
  }

  async #render(person: number): Promise<void> {
    const texts: string[] = []
    for (const [i, template] of this.#templates.entries()) {
      const outcome = await engine.render(template, scopeOf(this.#order.people[person]!), this.#run(person))
      if (!this.#take(person, i, outcome, texts)) return
    }
    this.#put(person, { texts })
  }

  #run(person?: number) {
    const time = new TimeLimit()
    const run = { nowMs: this.#order.nowMs, blocks: this.#blocks, path: [], serviceName, time }
    return person === undefined ? run : { ...run, ask: askingFor(person, time) }
  }

  /** Whether the person's next text is to be rendered. */
  #take(person: number, i: number, outcome: Outcome, texts: string[]): boolean {
    if ('text' in outcome) {
      texts.push(outcome.text)
      return true
    }
    if ('aborted' in outcome) this.#put(person, outcome)
    else {
      const failed = { outcome: 'failed', text: this.#order.texts[i]![0], ...outcome.failed } as const
      if (outcome.slow) this.#slowLeft--
      this.#put(person, { failed, slow: outcome.slow })
    }
    return false
  }

  #isGivenUp(person: number): boolean {
    if (this.#slowLeft > 0) return false
    this.#put(person, { failed: { outcome: 'failed', message: givenUp }, slow: false })
    return true
  }

  #put(person: number, short: Short): void {
    this.#done.push([person, short])
    if ('texts' in short) this.#characters += short.texts.reduce((sum, text) => sum + text.length, 0)
    if (this.#characters >= batchCharacters) this.#send(false)
  }

  #send(last: boolean): void {
    if (this.#done.length > 0 || last) tell({ done: this.#done, last })
    this.#done = []
    this.#characters = 0
  }
}

/** Asks for one text of one person, within what a text may ask and wait. */
function askingFor(person: number, time: TimeLimit): (question: Ask) => Promise<unknown> {
  let asks = 0
  let waitedMs = 0
  return async (question) => {
    if (++asks > asksMax) throw new Error(`a text may ask other servers and catalogs ${asksMax} times`)
    if (waitedMs > waitMs) throw new TooSlow(`the text waited longer than ${waitMs} ms for answers`)
    const startMs = clock.elapsed()
    const answer = await ask(question)
    const tookMs = clock.elapsed() - startMs
    waitedMs += tookMs
    time.extend(tookMs)
    beat(person)
    return answer
  }
}

function failAll(order: Order, message: string, place: Partial<Failed> = {}): void {
  const short = { failed: { ...place, outcome: 'failed', message }, slow: false } as const
  tell({ done: order.people.map((_, person) => [person, short]), last: true })
}

async function carryOut(order: Order): Promise<void> {
  beat(0)
  const templates = order.texts.map(([, text]) => engine.parse(text))
  const broken = templates.findIndex((template) => template.mistake)
  if (broken !== -1) {
    const { message, line, column } = templates[broken]!.mistake!
    failAll(order, message, { text: order.texts[broken]![0], line, column })
    return
  }
  const timer = setInterval(() => beat(), pulseMs)
  const blocks = await readBlocks(templates).finally(() => clearInterval(timer))
  const work = new Work(order, templates, blocks)
  const asks = [...templates, ...blocks.values()].some((template) => template.asks)
  if (asks) await work.run()
  else work.runNow()
}

parentPort!.on('message', (message: ToThread) => {
  if ('order' in message)
    carryOut(message.order).then(undefined, (error: Error) => failAll(message.order, error.message))
  else hear(message.answers)
})
