import type { Context, Liquid } from 'liquidjs'
import { rewriteDialect } from './rewrite-dialect.ts'
import { BoundedOutput, runOf, setRun } from './run.ts'
import type { CatalogItem } from './source-query.ts'
import { TemplateMistake } from './template-mistake.ts'

/** Renders the Liquid that texts of catalog items hold, with what the template knows so far. */
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

/** Text from elsewhere is rendered once: it must not ask, for itself again or with a credential of ours. */
export function* rerenderText(text: string, context: Context, liquid: Liquid): Generator<unknown, string, unknown> {
  if (!text.includes('{{') && !text.includes('{%')) return text
  const run = runOf(context)
  const { text: rewritten, blocks } = rewriteDialect(text, run.serviceName)
  if (blocks.size > 0) throw asksForMore()
  setRun(context, { ...run, query: () => Promise.reject(asksForMore()) })
  const writing = new BoundedOutput(context.memoryLimit)
  yield liquid.renderer.renderTemplates(liquid.parse(rewritten), context, writing)
  setRun(context, run)
  return writing.buffer
}

function asksForMore(): TemplateMistake {
  return new TemplateMistake('text that is rendered again must not ask for more', { line: 1, column: 1 })
}
