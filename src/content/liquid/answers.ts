import type { Ask, FetchedText, FetchWish, Item } from './asks.ts'
import type { Answer } from './order.ts'

/** A question without an answer for so long is our mistake: those who answer have deadlines of their own. */
const answerMs = 60_000

/**
 * Where rendering gets what a template asks for. An answer that is known to be none is a value; a rejection is our mistake or a
 * database that is away, and rejects the whole rendering, so that it can be tried again.
 */
export type Sources = {
  /** In the order of `ids`, undefined where there is no such item; undefined when there is no such catalog. */
  catalogItems(workspace_id: number, catalog: string, ids: readonly string[]): Promise<(Item | undefined)[] | undefined>
  /** Undefined when there is no such catalog or selection. */
  catalogSelection(workspace_id: number, catalog: string, selection: string): Promise<Item[] | undefined>
  /** The texts of the blocks that are in use under the names, in their order. */
  contentBlocks(workspace_id: number, names: readonly string[]): Promise<(string | undefined)[]>
  fetch(workspace_id: number, wish: FetchWish): Promise<FetchedText>
}

export type Asked = { readonly id: number; readonly ask: Ask }

/** Answers what a thread asks, each as soon as it is known. Items of one catalog are looked up together. */
export function answerAsks(
  asks: readonly Asked[],
  workspace_id: number,
  sources: Sources,
  tell: (answers: Answer[]) => void,
): Promise<void>[] {
  const items = Map.groupBy(asks.filter(isItems), ({ ask }) => ask.catalog)
  const others = asks.filter((asked) => asked.ask.kind !== 'items')
  return [
    ...[...items].map(async ([catalog, group]) => tell(await within(findItems(catalog, group, workspace_id, sources)))),
    ...others.map(async ({ id, ask }) => tell([{ id, value: await within(answerOne(ask, workspace_id, sources)) }])),
  ]
}

type AskedItems = { readonly id: number; readonly ask: Extract<Ask, { kind: 'items' }> }

function isItems(asked: Asked): asked is AskedItems {
  return asked.ask.kind === 'items'
}

async function findItems(
  catalog: string,
  group: readonly AskedItems[],
  workspace_id: number,
  sources: Sources,
): Promise<Answer[]> {
  const ids = [...new Set(group.flatMap(({ ask }) => ask.ids))]
  const found = await sources.catalogItems(workspace_id, catalog, ids)
  const byId = found && new Map(ids.map((id, i) => [id, found[i]]))
  return group.map(({ id, ask }) => ({ id, value: byId && ask.ids.map((each) => byId.get(each)) }))
}

function answerOne(ask: Ask, workspace_id: number, sources: Sources): Promise<unknown> {
  switch (ask.kind) {
    case 'items':
      return sources.catalogItems(workspace_id, ask.catalog, ask.ids)
    case 'selection':
      return sources.catalogSelection(workspace_id, ask.catalog, ask.selection)
    case 'blocks':
      return sources.contentBlocks(workspace_id, ask.names)
    case 'fetch':
      return sources.fetch(workspace_id, ask.request)
  }
}

function within<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer for a template within ${answerMs} ms`)), answerMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
