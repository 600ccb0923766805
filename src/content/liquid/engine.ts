import { Context, type Liquid, LiquidError, type Template as Node, toPromise, toValueSync } from 'liquidjs'
import { openLiquid } from './liquid-instance.ts'
import { roots, standardRoot } from './names.ts'
import { describeError, messageCharactersMax, parseTemplate } from './parse.ts'
import type { ParsedTemplate } from './parsed-template.ts'
import { Aborted, BoundedOutput, MemoryLimit, type RenderRun, setRun, TimeLimitExceeded } from './run.ts'
import type { TextPosition } from './template-mistake.ts'
import { TemplateMistake } from './template-mistake.ts'
import type { TemplateVariables } from './variables.ts'

/** Characters of templates that are kept parsed. */
const keptCharactersMax = 8_000_000

/** What one text of one person came to. */
export type TextOutcome =
  | { text: string }
  | { aborted: string }
  | { failed: { message: string } & Partial<TextPosition>; slow: boolean }

/** The engine of one thread with the templates it has parsed. */
export class TemplateEngine {
  readonly #liquid: Liquid = openLiquid()
  readonly #serviceName: string
  readonly #kept = new Map<string, ParsedTemplate>()
  #keptCharacters = 0

  constructor(serviceName: string) {
    this.#serviceName = serviceName
  }

  /** Parses a text unless it is known; one with a mistake is a template that says so. */
  parse(text: string): ParsedTemplate {
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

  #parse(text: string): ParsedTemplate {
    try {
      return parseTemplate(text, this.#serviceName, this.#liquid)
    } catch (mistake) {
      if (!(mistake instanceof TemplateMistake)) throw mistake
      return { nodes: [], blocks: new Set(), queriesSources: false, positionOf: () => undefined, mistake }
    }
  }

  /** Renders without waiting; for templates that ask nothing. */
  renderNow(template: ParsedTemplate, scope: object, run: RenderRun): TextOutcome {
    try {
      const { context, writing } = this.#begin(scope, run, true)
      toValueSync(this.#liquid.renderer.renderTemplates(template.nodes as Node[], context, writing))
      return { text: writing.buffer }
    } catch (error) {
      // A template that fails is an outcome of this person, not of the page.
      return toOutcome(error, template, run)
    }
  }

  async render(template: ParsedTemplate, scope: object, run: RenderRun): Promise<TextOutcome> {
    try {
      const { context, writing } = this.#begin(scope, run, false)
      await toPromise(this.#liquid.renderer.renderTemplates(template.nodes as Node[], context, writing))
      return { text: writing.buffer }
    } catch (error) {
      // A template that fails is an outcome of this person, not of the page.
      return toOutcome(error, template, run)
    }
  }

  #begin(scope: object, run: RenderRun, sync: boolean) {
    const limits = { memoryLimit: new MemoryLimit(), renderLimit: run.time } as unknown as Limits
    const context = new Context(scope, this.#liquid.options, { sync }, { ...limits, liquid: this.#liquid })
    setRun(context, run)
    return { context, writing: new BoundedOutput() }
  }
}

/** The engine's own limits have private members, which ours need not have. */
type Limits = Pick<NonNullable<ConstructorParameters<typeof Context>[3]>, 'memoryLimit' | 'renderLimit'>

/** The names that a template sees. Made for each text: a template may write to it. */
export function templateScope(personal: TemplateVariables): object {
  const scope: Record<string, unknown> = Object.create(null)
  scope[standardRoot] = personal.standard
  scope.custom_attribute = personal.custom
  for (const root of roots) if (personal[root] !== undefined) scope[root] = personal[root]
  scope.context ??= personal.canvas_entry_properties
  scope.canvas_entry_properties ??= personal.context
  return scope
}

function toOutcome(error: unknown, template: ParsedTemplate, run: RenderRun): TextOutcome {
  const cause = causeOf(error)
  if (cause instanceof Aborted) return { aborted: cause.message.slice(0, messageCharactersMax) }
  const block = run.path.at(-1)
  const place = (block === undefined ? template : run.blocks.get(block))?.positionOf(error)
  const message =
    block === undefined ? describeError(error) : `in the content block "${block}": ${describeError(error)}`
  return { failed: { message, ...place }, slow: cause instanceof TimeLimitExceeded }
}

function causeOf(error: unknown): unknown {
  return LiquidError.is(error) && error.originalError ? causeOf(error.originalError) : error
}
