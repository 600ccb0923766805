import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { call, callTagged } from '../../api/call.ts'
import { CallError } from '../../api/errors.ts'
import {
  getAdminApps,
  getAdminCanvasesId,
  getAdminCanvasesIdDraft,
  getAdminHeadsCanvases,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import type { Loaded } from '../flow-editor/use-flow-draft.ts'
import { newEmail } from '../flow-forms/new-email.ts'
import { emptyCanvas } from './starters.ts'

// The editor is large, and most who look at a canvas do not edit it.
const CanvasEditor = lazy(() => import('./canvas-editor.tsx'))

/** The page on which a canvas is edited. */
export function CanvasEditPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const query = { workspace: workspace.id }
  const read = useLoaded(id, workspace.id)
  const apps = useQuery(reading(getAdminApps(query)))
  useFeed(getAdminCanvasesIdDraft(id, query))
  const mail = useMemo(() => newEmail(apps.data?.apps ?? [], senderOf(workspace.name)), [apps.data, workspace.name])
  if (read.data === undefined) return <NoAnswer read={read} what="the canvas" />
  // Who may not read the apps edits without them.
  if (apps.isPending) return <LoadingRows what="the apps" />
  return (
    <Suspense fallback={<LoadingRows what="the editor" />}>
      <CanvasEditor key={id} id={id} loaded={read.data} mail={mail} onStale={() => void read.refetch()} />
    </Suspense>
  )
}

/** Returns a sender to begin with. The name is that of the workspace. */
export function senderOf(workspace: string): string {
  const name = workspace.replace(/[^\p{L}\p{N} '-]/gu, '').trim()
  return `${name === '' ? 'Hello' : name} <hello@example.com>`
}

/** Reads the canvas as it runs, and its draft. It needs one of the two. */
function useLoaded(id: string, workspace: string) {
  const query = { workspace }
  return useQuery({
    queryKey: [getAdminCanvasesId(id, query).path, 'to edit'],
    queryFn: async ({ signal }): Promise<Loaded> => {
      const [{ reply: stored }, published] = await Promise.all([
        callTagged(getAdminCanvasesIdDraft(id, query), signal, parseExactly),
        readPublished(id, workspace, signal),
      ])
      if (!published && stored.draft === null) {
        throw new CallError('There is no canvas and no draft with this id.', { status: 404 })
      }
      return { published, stored, begin: emptyCanvas }
    },
    structuralSharing: false,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  })
}

/** Returns the canvas as it runs; undefined when it was not published yet. */
async function readPublished(id: string, workspace: string, signal: AbortSignal): Promise<Loaded['published']> {
  const { canvases } = await call(getAdminHeadsCanvases({ workspace }), signal)
  const head = canvases.find((each) => each.id === id)
  if (!head) return undefined
  const { reply, tag } = await callTagged(getAdminCanvasesId(id, { workspace }), signal, parseExactly)
  return { document: reply.canvas, tag: tag!, version: head.version }
}
