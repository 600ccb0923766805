import { invalid } from '../../base/errors.ts'
import { readBoolean, readDirection, readNonEmpty, readWhole } from '../../base/http/query.ts'
import { defineRoute, type Query, type Route } from '../../base/http/route.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { CardQuery, CardReply, CardsQuery, CardsReply, SdkKeysQuery, SdkKeysReply } from './schema.ts'

export type EmptyListServices = { readonly workspaces: Workspaces }

/** Lists of what Easel does not have, for clients that read every list: cards of a news feed, keys of apps (contract 10.4, 10.5). */
export function emptyListRoutes({ workspaces }: EmptyListServices): Route[] {
  const all = { method: 'GET', errors: 'standard' } as const
  return [
    defineRoute({
      ...all,
      path: '/feed/list',
      permission: 'feed.list',
      summary: 'List cards of the news feed: there are none',
      query: CardsQuery,
      reply: { 200: CardsReply },
      async handle(_, { query }) {
        readWhole(query, 'page', 0)
        readDirection(query, 'asc')
        readBoolean(query, 'include_archived')
        return { cards: [] }
      },
    }),
    ...(['details', 'data_series'] as const).map((name) =>
      defineRoute({
        ...all,
        path: `/feed/${name}`,
        permission: `feed.${name}`,
        summary: `Get ${name === 'details' ? 'a card' : 'the numbers of a card'} of the news feed: there are none`,
        query: CardQuery,
        reply: { 200: CardReply },
        handle: async (_, { query }) => refuseCard(query),
      }),
    ),
    defineRoute({
      ...all,
      path: '/app_group/sdk_authentication/keys',
      permission: 'sdk_authentication.keys',
      summary: 'List the keys with which an app signs: there are none',
      query: SdkKeysQuery,
      reply: { 200: SdkKeysReply },
      async handle({ workspace_id }, { query }) {
        const app_id = readNonEmpty(query, 'app_id')
        if (app_id === undefined || !workspaces.get(workspace_id).appIds.has(app_id)) {
          throw invalid("'app_id' must be the id of an app of the workspace")
        }
        return { keys: [] }
      },
    }),
  ]
}

function refuseCard(query: Query): never {
  throw invalid(
    readNonEmpty(query, 'card_id') === undefined ? "'card_id' is required" : "There is no card with this 'card_id'",
  )
}
