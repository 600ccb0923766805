import { Context, type Liquid, LiquidError, type Template as Node, toPromise, toValueSync } from 'liquidjs'
import { openLanguage } from './language.ts'
import { TemplateMistake } from './mistake.ts'
import { roots, standardRoot } from './names.ts'
import { messageCharactersMax, parseTemplate, sentenceOf } from './parse.ts'
import type { Failed, Personal } from './personal.ts'
import { Aborted, MemoryLimit, type Run, setRun, TooSlow, Writing } from './run.ts'
import type { Template } from './template.ts'

/** Characters of templates that are kept parsed. */
const keptCharactersMax = 8_000_000

/** What one text of one person came to. */
export type Outcome =
  | { text: string }
  | { aborted: string }
  | { failed: Omit<Failed, 'outcome' | 'text'>; slow: boolean }

/** The engine of one thread with the templates it has parsed. */
export class Engine {
  readonly #liquid: Liquid = openLanguage()
  readonly #serviceName: string
  readonly #kept = new Map<string, Template>()
  #keptCharacters = 0

  constructor(serviceName: string) {
    this.#serviceName = serviceName
  }

  /** Parses a text unless it is known; one with a mistake is a template that says so. */
  parse(text: string): Template {
    const known = this.#kept.get(text)
    if (known) {
      // The one used last is forgotten last.
      this.#kept.delete(text)
      this.#kept.set(text, known)
      return known
    }
    const template = this.#parse(text)
    this.#kept.set(text, template)
    this.#keptCharacters += text.length
    for (const [old] of this.#kept) {
      if (this.#keptCharacters <= keptCharactersMax) break
      this.#kept.delete(old)
      this.#keptCharacters -= old.length
    }
    return template
  }

  #parse(text: string): Template {
    try {
      return parseTemplate(text, this.#serviceName, this.#liquid)
    } catch (mistake) {
      if (!(mistake instanceof TemplateMistake)) throw mistake
      return { nodes: [], blocks: new Set(), asks: false, placeOf: () => undefined, mistake }
    }
  }

  /** Renders without waiting; for templates that ask nothing. */
  renderNow(template: Template, scope: object, run: Run): Outcome {
    try {
      const { context, writing } = this.#begin(scope, run, true)
      toValueSync(this.#liquid.renderer.renderTemplates(template.nodes as Node[], context, writing))
      return { text: writing.buffer }
    } catch (error) {
      // A template that fails is an outcome of this person, not of the page.
      return outcomeOf(error, template, run)
    }
  }

  async render(template: Template, scope: object, run: Run): Promise<Outcome> {
    try {
      const { context, writing } = this.#begin(scope, run, false)
      await toPromise(this.#liquid.renderer.renderTemplates(template.nodes as Node[], context, writing))
      return { text: writing.buffer }
    } catch (error) {
      // A template that fails is an outcome of this person, not of the page.
      return outcomeOf(error, template, run)
    }
  }

  #begin(scope: object, run: Run, sync: boolean) {
    const limits = { memoryLimit: new MemoryLimit(), renderLimit: run.time } as unknown as Limits
    const context = new Context(scope, this.#liquid.options, { sync }, { ...limits, liquid: this.#liquid })
    setRun(context, run)
    return { context, writing: new Writing() }
  }
}

/** The engine's own limits have private members, which ours need not have. */
type Limits = Pick<NonNullable<ConstructorParameters<typeof Context>[3]>, 'memoryLimit' | 'renderLimit'>

/** The names that a template sees. Made for each text: a template may write to it. */
export function scopeOf(personal: Personal): object {
  const scope: Record<string, unknown> = Object.create(null)
  scope[standardRoot] = personal.standard
  scope.custom_attribute = personal.custom
  for (const root of roots) if (personal[root] !== undefined) scope[root] = personal[root]
  scope.context ??= personal.canvas_entry_properties
  scope.canvas_entry_properties ??= personal.context
  return scope
}

function outcomeOf(error: unknown, template: Template, run: Run): Outcome {
  const cause = causeOf(error)
  if (cause instanceof Aborted) return { aborted: cause.message.slice(0, messageCharactersMax) }
  const block = run.path.at(-1)
  const place = (block === undefined ? template : run.blocks.get(block))?.placeOf(error)
  const message = block === undefined ? sentenceOf(error) : `in the content block "${block}": ${sentenceOf(error)}`
  return { failed: { message, ...place }, slow: cause instanceof TooSlow }
}

function causeOf(error: unknown): unknown {
  return LiquidError.is(error) && error.originalError ? causeOf(error.originalError) : error
}
