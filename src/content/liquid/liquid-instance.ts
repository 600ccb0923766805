import { type Context, defaultOperators, type Emitter, Liquid, type Template as Node, type Operators } from 'liquidjs'
import { filters, removedFilters } from './filters.ts'
import { blockFilter } from './names.ts'
import { blockDepthMax, CapturedOutput, memoryMax, renderMs, runOf } from './run.ts'
import { removedTags, tags } from './tags.ts'

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
  limitCaptures(liquid)
  return liquid
}

/** Limits captured text like output. Otherwise it could grow until the process dies. */
function limitCaptures({ renderer }: Liquid): void {
  const render = renderer.renderTemplates
  renderer.renderTemplates = (nodes, context, emitter: Emitter = new CapturedOutput(context.memoryLimit)) =>
    render.call(renderer, nodes, context, emitter)
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
