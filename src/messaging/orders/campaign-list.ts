import type { Call } from '../../base/call.ts'
import type { Query } from '../../base/http/route.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { moment, pageOf } from './flow-list.ts'

/** The campaigns of a page (contract 10.4). */
export async function listCampaigns(call: Call, query: Query, graphs: Graphs) {
  const page = await pageOf(call, 'campaign', query)
  const found = await graphs.many(call.db, page)
  return {
    campaigns: page.map((campaign) => {
      const { id, name, tags, updated_at } = campaign
      const is_api_campaign = found.get(graphKey(campaign))!.entry.by.has('api')
      return { id, last_edited: moment(updated_at), name, is_api_campaign, tags }
    }),
  }
}
