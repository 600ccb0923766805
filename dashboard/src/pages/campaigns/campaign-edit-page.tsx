import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { call, callTagged } from '../../api/call.ts'
import {
  getAdminApps,
  getAdminCampaignsId,
  getAdminCampaignsIdDraft,
  getAdminHeadsCampaigns,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import { useFeed } from '../../frame/feed.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import type { Loaded } from '../flow-editor/use-flow-draft.ts'
import { newCampaign } from './new-campaign.ts'

// The editor is large, and most who look at a campaign do not edit it.
const CampaignEditor = lazy(() => import('./campaign-editor.tsx'))

/** The page on which a campaign is edited. One that is not stored yet begins with one message. */
export function CampaignEditPage() {
  const { workspace, may } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const query = { workspace: workspace.id }
  const apps = useQuery({ ...reading(getAdminApps(query)), enabled: may('apps.read') })
  const isReady = !may('apps.read') || apps.data !== undefined
  const read = useQuery({
    queryKey: [getAdminCampaignsId(id, query).path, 'to edit'],
    queryFn: ({ signal }) => load(id, workspace.id, newCampaign(id, apps.data?.apps ?? []), signal),
    enabled: isReady,
    structuralSharing: false,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  })
  useFeed(getAdminCampaignsIdDraft(id, query))
  if (apps.isError) return <NoAnswer read={apps} what="the apps" />
  if (read.data === undefined) return <NoAnswer read={read} what="the campaign" />
  return (
    <Suspense fallback={<LoadingRows what="the editor" />}>
      <CampaignEditor key={id} id={id} loaded={read.data} onStale={() => void read.refetch()} />
    </Suspense>
  )
}

/** Reads the campaign as it runs, if it does, and its draft. */
async function load(id: string, workspace: string, begin: Definition, signal: AbortSignal): Promise<Loaded> {
  const query = { workspace }
  const [{ reply: stored }, { campaigns }] = await Promise.all([
    callTagged(getAdminCampaignsIdDraft(id, query), signal, parseExactly),
    call(getAdminHeadsCampaigns(query), signal),
  ])
  const head = campaigns.find((each) => each.id === id)
  if (!head) return { published: undefined, stored, begin }
  const { reply, tag } = await callTagged(getAdminCampaignsId(id, query), signal, parseExactly)
  const published = { document: reply.campaign, tag: tag!, version: head.version }
  return { published, stored, begin }
}
