import {
  type Context,
  defaultOperators,
  type Emitter,
  Liquid,
  LiquidError,
  type Template as Node,
  type Operators,
  Output,
  RenderError,
  TokenKind,
} from 'liquidjs'
import { systemClock } from '../../base/clock.ts'
import { filters, removedFilters } from './filters.ts'
import { blockFilter } from './names.ts'
import { blockDepthMax, CapturedOutput, memoryMax, renderMs, runOf, type WorkLimit } from './run.ts'
import { renderOutputSync } from './run-sync.ts'
import { removedTags, tags } from './tags.ts'

const clock = systemClock()

/** Characters of one template. Mail programs cut texts at about a tenth of it. */
export const templateCharactersMax = 1_048_576

/** Makes an instance of the engine without access to files, prototypes, random values or the machine's clock. One per process is enough. */
export function openLiquid(): Liquid {
  const liquid = new Liquid({
    ownPropertyOnly: true,
    // No file is found. The tags that load files are also removed.
    templates: Object.create(null),
    strictFilters: true,
    groupedExpressions: true,
    operators,
    locale: 'en-US',
    timezoneOffset: 0,
    // `rewriteDialect` makes a text a little longer.
    parseLimit: templateCharactersMax * 3,
    renderLimit: renderMs,
    memoryLimit: memoryMax,
  })
  for (const name of removedTags) delete liquid.tags[name]
  for (const name of removedFilters) liquid.unregisterFilter(name)
  for (const [name, tag] of Object.entries(tags)) liquid.registerTag(name, tag)
  for (const [name, filter] of Object.entries(filters)) liquid.registerFilter(name, filter)
  liquid.registerFilter(blockFilter, renderBlock)
  liquid.renderer.renderTemplates = renderNodes as never
  return liquid
}

/**
 * Renders nodes as the engine does, with the same checks. Plain text, which most of a template is, is written at once. Captured text has
 * the limit of captured text: otherwise it could grow until the process dies.
 */
function* renderNodes(
  nodes: readonly Node[],
  context: Context,
  output: Emitter = new CapturedOutput(context.memoryLimit),
): IterableIterator<unknown> {
  const work = context.renderLimit as unknown as WorkLimit
  work.check(clock.elapsed())
  for (const node of nodes) {
    const isText = node.token.kind === TokenKind.HTML
    if (isText) work.count()
    else work.check(clock.elapsed())
    try {
      if (isText) {
        output.write((node as unknown as { readonly str: string }).str)
        continue
      }
      if (context.sync && node instanceof Output) {
        renderOutputSync(node, context, output)
        continue
      }
      const text = yield node.render(context, output)
      if (text) output.write(text)
    } catch (error) {
      throw LiquidError.is(error) ? error : new RenderError(error as Error, node)
    }
    if (context.breakCalled || context.continueCalled) break
  }
  return (output as unknown as { readonly buffer: unknown }).buffer
}

/** Nil is neither more nor less than a number. The engine would treat it as 0. */
const operators: Operators = {
  ...defaultOperators,
  '>=': comparedUnlessNull(defaultOperators['>=']!),
  '<=': comparedUnlessNull(defaultOperators['<=']!),
  '>': comparedUnlessNull(defaultOperators['>']!),
  '<': comparedUnlessNull(defaultOperators['<']!),
}

type Compare = Operators[string]

function comparedUnlessNull(compare: Compare): Compare {
  return (left, right, context) =>
    left === null || left === undefined || right === null || right === undefined
      ? false
      : (compare as (left: unknown, right: unknown, context: unknown) => boolean)(left, right, context)
}

/** Returns the filter for `content_blocks.${name}`. It renders the block with the variables that the template has at this point. */
function* renderBlock(this: { context: Context; liquid: Liquid }, name: string): Generator<unknown, string, unknown> {
  const { blocks, path } = runOf(this.context)
  if (path.includes(name)) throw new Error(`the content block "${name}" contains itself`)
  if (path.length >= blockDepthMax) throw new Error(`content blocks are nested deeper than ${blockDepthMax}`)
  const block = blocks.get(name)
  if (block === undefined) throw new Error(`there is no content block "${name}"`)
  if (block.mistake) throw new Error(`the content block "${name}" does not parse: ${block.mistake.message}`)
  path.push(name)
  const output = new CapturedOutput(this.context.memoryLimit)
  yield this.liquid.renderer.renderTemplates(block.nodes as Node[], this.context, output)
  path.pop()
  return output.buffer
}
