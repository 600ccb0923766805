import { Context, type Liquid, LiquidError, type Template as Node, toPromise } from 'liquidjs'
import { openLiquid } from './liquid-instance.ts'
import { roots, standardRoot, textRoots } from './names.ts'
import { describeError, messageCharactersMax, parseTemplate } from './parse.ts'
import type { ParsedTemplate } from './parsed-template.ts'
import { Aborted, type RenderRun, setRun, TextOutput, TextTooLong, WorkLimitExceeded } from './run.ts'
import { runSync } from './run-sync.ts'
import type { TextPosition } from './template-mistake.ts'
import { TemplateMistake } from './template-mistake.ts'
import type { TemplateVariables } from './variables.ts'

/** Characters of the texts whose templates are cached. */
const cachedCharactersMax = 8_000_000

/** The result of one text for one person. `slow`: it reached a limit of work. `isTooLong`: the message completes the name of the text. */
export type TextOutcome =
  | { text: string }
  | { aborted: string }
  | {
      failed: { message: string; content_block?: string } & Partial<TextPosition>
      slow: boolean
      isTooLong?: boolean
    }

/** The Liquid engine of one process, with a cache of parsed templates. */
export class TemplateEngine {
  readonly #liquid: Liquid = openLiquid()
  readonly #serviceName: string
  readonly #cache = new Map<string, ParsedTemplate>()
  #cachedCharacters = 0

  constructor(serviceName: string) {
    this.#serviceName = serviceName
  }

  /** Parses a text, or takes it from the cache. For a malformed text, returns a template with a `mistake`. */
  parse(text: string): ParsedTemplate {
    const cached = this.#cache.get(text)
    if (cached) {
      // Moves it to the end: the template that was used longest ago is removed first.
      this.#cache.delete(text)
      this.#cache.set(text, cached)
      return cached
    }
    const template = this.#parse(text)
    this.#cache.set(text, template)
    this.#cachedCharacters += text.length
    for (const [old] of this.#cache) {
      if (this.#cachedCharacters <= cachedCharactersMax) break
      this.#cache.delete(old)
      this.#cachedCharacters -= old.length
    }
    return template
  }

  #parse(text: string): ParsedTemplate {
    try {
      return parseTemplate(text, this.#serviceName, this.#liquid)
    } catch (mistake) {
      if (!(mistake instanceof TemplateMistake)) throw mistake
      const empty = { nodes: [], blocks: new Set<string>(), queriesSources: false, asksServers: false }
      return { ...empty, positionOf: () => undefined, mistake }
    }
  }

  /** Renders synchronously, for templates that query no source. */
  renderNow(template: ParsedTemplate, scope: object, run: RenderRun): TextOutcome {
    try {
      const { context, output } = this.#begin(scope, run, true)
      runSync(this.#liquid.renderer.renderTemplates(template.nodes as Node[], context, output))
      return { text: output.buffer }
    } catch (error) {
      // A template that fails is an outcome of this person, not of the page.
      return toOutcome(error, template, run)
    }
  }

  async render(template: ParsedTemplate, scope: object, run: RenderRun): Promise<TextOutcome> {
    try {
      const { context, output } = this.#begin(scope, run, false)
      await toPromise(this.#liquid.renderer.renderTemplates(template.nodes as Node[], context, output))
      return { text: output.buffer }
    } catch (error) {
      // A template that fails is an outcome of this person, not of the page.
      return toOutcome(error, template, run)
    }
  }

  #begin(scope: object, run: RenderRun, sync: boolean) {
    const { memory, work } = run.budget
    const limits = { memoryLimit: memory, renderLimit: work } as unknown as Limits
    const context = new Context(scope, this.#liquid.options, { sync }, { ...limits, liquid: this.#liquid })
    setRun(context, run)
    return { context, output: new TextOutput(run) }
  }
}

/** The limit classes of the engine have private members, so the limits of Easel must be cast. */
type Limits = Pick<NonNullable<ConstructorParameters<typeof Context>[3]>, 'memoryLimit' | 'renderLimit'>

/** Returns the variables under the names that templates use. Each text needs its own, because a template may change it. */
export function templateScope(variables: TemplateVariables): object {
  const scope: Record<string, unknown> = Object.create(null)
  scope[standardRoot] = variables.standard
  scope.custom_attribute = variables.custom
  for (const root of [...roots, ...textRoots]) if (variables[root] !== undefined) scope[root] = variables[root]
  scope.context ??= variables.canvas_entry_properties
  scope.canvas_entry_properties ??= variables.context
  return scope
}

function toOutcome(error: unknown, template: ParsedTemplate, run: RenderRun): TextOutcome {
  const cause = causeOf(error)
  if (cause instanceof Aborted) return { aborted: cause.message.slice(0, messageCharactersMax) }
  if (cause instanceof TextTooLong) return { failed: { message: cause.message }, slow: false, isTooLong: true }
  const block = run.path.at(-1)
  const position = (block === undefined ? template : run.blocks.get(block))?.positionOf(error)
  const message =
    block === undefined ? describeError(error) : `in the content block "${block}": ${describeError(error)}`
  const failed = { message, ...(block !== undefined && { content_block: block }), ...position }
  return { failed, slow: cause instanceof WorkLimitExceeded }
}

function causeOf(error: unknown): unknown {
  return LiquidError.is(error) && error.originalError ? causeOf(error.originalError) : error
}
