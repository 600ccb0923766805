import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { type PostAdminPreviewBody, type PostAdminPreviewReply, postAdminPreview } from '../../api/generated.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { useRested } from './use-rested.ts'

/** How long typing rests before a preview is asked for. */
const restMs = 400
/** The page of a preview ends after five minutes, so it is made again before. */
const againMs = 240_000

type Mistake = PostAdminPreviewReply['mistakes'][number]

export type Preview = {
  readonly reply: PostAdminPreviewReply | undefined
  /** The last preview without a mistake. */
  readonly good: PostAdminPreviewReply | undefined
  /** The texts have changed since the preview was made. */
  readonly isBehind: boolean
  readonly error: Error | null
  readonly retry: () => void
  readonly mistakes: readonly Mistake[]
}

const none: readonly Mistake[] = []

/**
 * Shows a mail, a block or a text as it stands, once typing rests; nothing while it is empty. An answer to older texts never replaces one
 * to newer texts.
 */
export function usePreview(body: PostAdminPreviewBody, ability: string, isEmpty = false): Preview {
  const { workspace, may } = useViewer()
  const key = JSON.stringify(body)
  const rested = useRested(body, key, restMs)
  const [good, setGood] = useState<PostAdminPreviewReply>()
  const read = useQuery({
    queryKey: ['preview', workspace.id, rested.key],
    queryFn: ({ signal }) => call(postAdminPreview(rested.value, { workspace: workspace.id }), signal),
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
    staleTime: againMs,
    gcTime: 0,
    enabled: may(ability) && !isEmpty,
  })
  const reply = read.data
  useEffect(() => {
    if (reply?.outcome === 'rendered') setGood(reply)
  }, [reply])
  return {
    ...{ reply, good, error: read.error, mistakes: reply?.mistakes ?? none },
    isBehind: read.isPlaceholderData || rested.key !== key,
    retry: () => void read.refetch(),
  }
}
