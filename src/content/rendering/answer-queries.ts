import type { CatalogItem, ContentRequest, ContentResponse } from '../liquid/source-query.ts'
import type { JobQuery, NumberedQuery, QueryAnswer } from './process-protocol.ts'

/** A query that takes longer is a bug, because the database and the fetcher have shorter deadlines. */
const answerMs = 60_000

/**
 * The sources for the queries of templates. An empty result is a value. A rejection is a bug or an unavailable database: it rejects the
 * whole page, which can then be rendered again.
 */
export type RenderingSources = {
  /** In the order of `ids`, undefined where there is no such item; undefined when there is no such catalog. */
  catalogItems(
    workspace_id: number,
    catalog: string,
    ids: readonly string[],
  ): Promise<(CatalogItem | undefined)[] | undefined>
  /** Undefined when there is no such catalog or selection. */
  catalogSelection(workspace_id: number, catalog: string, selection: string): Promise<CatalogItem[] | undefined>
  /** The texts of the active blocks with these names, in their order. */
  contentBlocks(workspace_id: number, names: readonly string[]): Promise<(string | undefined)[]>
  fetch(workspace_id: number, request: ContentRequest): Promise<ContentResponse>
}

/** Who rendered texts belong to, and whether they may ask other servers. `answer` answers questions of finishing. */
export type QueryCaller = {
  readonly workspace_id: number
  readonly asksNobody: boolean
  answer(question: unknown): Promise<unknown>
}

const askedNobody = { refused: 'other servers are not asked while a text is only looked at' }

/** Answers the queries of a process, each as soon as its result is available. Items of one catalog are looked up together. */
export function answerQueries(
  queries: readonly NumberedQuery[],
  caller: QueryCaller,
  sources: RenderingSources,
  send: (answers: QueryAnswer[]) => void,
): Promise<void>[] {
  const items = Map.groupBy(queries.filter(isItemsQuery), ({ query }) => query.catalog)
  const others = queries.filter(({ query }) => query.kind !== 'items')
  return [
    ...[...items].map(async ([catalog, group]) =>
      send(await withDeadline(findItems(catalog, group, caller.workspace_id, sources))),
    ),
    ...others.map(async ({ id, query }) =>
      send([{ id, value: await withDeadline(answerOne(query, caller, sources)) }]),
    ),
  ]
}

type NumberedItemsQuery = NumberedQuery & { readonly query: Extract<JobQuery, { kind: 'items' }> }

function isItemsQuery(numbered: NumberedQuery): numbered is NumberedItemsQuery {
  return numbered.query.kind === 'items'
}

async function findItems(
  catalog: string,
  group: readonly NumberedItemsQuery[],
  workspace_id: number,
  sources: RenderingSources,
): Promise<QueryAnswer[]> {
  const ids = [...new Set(group.flatMap(({ query }) => query.ids))]
  const found = await sources.catalogItems(workspace_id, catalog, ids)
  const byId = found && new Map(ids.map((id, i) => [id, found[i]]))
  return group.map(({ id, query }) => ({ id, value: byId && query.ids.map((each) => byId.get(each)) }))
}

async function answerOne(query: JobQuery, caller: QueryCaller, sources: RenderingSources): Promise<unknown> {
  const { workspace_id } = caller
  switch (query.kind) {
    case 'items':
      return sources.catalogItems(workspace_id, query.catalog, query.ids)
    case 'selection':
      return sources.catalogSelection(workspace_id, query.catalog, query.selection)
    case 'blocks':
      return sources.contentBlocks(workspace_id, query.names)
    case 'fetch':
      return caller.asksNobody ? askedNobody : sources.fetch(workspace_id, query.request)
    case 'caller':
      return caller.answer(query.question)
  }
}

function withDeadline<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer for a template within ${answerMs} ms`)), answerMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
