import type { Context, Liquid } from 'liquidjs'
import { rewriteDialect } from './rewrite-dialect.ts'
import { CapturedOutput, runOf, setRun } from './run.ts'
import type { CatalogItem } from './source-query.ts'
import { TemplateMistake } from './template-mistake.ts'

/** Renders the Liquid in the values of catalog items, with the variables that the template has at this point. */
export function* rerenderItems(
  items: readonly CatalogItem[],
  context: Context,
  liquid: Liquid,
): Generator<unknown, CatalogItem[], unknown> {
  const done: CatalogItem[] = []
  for (const item of items) done.push(item ? ((yield rerenderItem(item, context, liquid)) as CatalogItem) : item)
  return done
}

function* rerenderItem(item: CatalogItem, context: Context, liquid: Liquid): Generator<unknown, CatalogItem, unknown> {
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(item)) {
    entries.push([name, typeof value === 'string' ? yield rerenderText(value, context, liquid) : value])
  }
  return Object.fromEntries(entries)
}

/** Renders text from a source. It must not query sources: it could query itself again, or use a credential of the workspace. */
export function* rerenderText(text: string, context: Context, liquid: Liquid): Generator<unknown, string, unknown> {
  if (!text.includes('{{') && !text.includes('{%')) return text
  const run = runOf(context)
  const { text: rewritten, blocks } = rewriteDialect(text, run.serviceName)
  if (blocks.size > 0) throw mustNotQuery()
  setRun(context, { ...run, query: () => Promise.reject(mustNotQuery()) })
  const output = new CapturedOutput(context.memoryLimit)
  yield liquid.renderer.renderTemplates(liquid.parse(rewritten), context, output)
  setRun(context, run)
  return output.buffer
}

function mustNotQuery(): TemplateMistake {
  return new TemplateMistake('text that is rendered again must not ask for more', { line: 1, column: 1 })
}
