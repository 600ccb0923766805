import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import {
  type PostAdminCanvasesIdImpactReply,
  postAdminCampaignsIdImpact,
  postAdminCanvasesIdImpact,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { formatCount } from '../../words/numbers.ts'
import styles from './flow-impact.module.css'
import type { FlowRef } from './flow-words.ts'

type Impact = PostAdminCanvasesIdImpactReply

const impactOf = { canvas: postAdminCanvasesIdImpact, campaign: postAdminCampaignsIdImpact } as const
/** Steps that are listed. */
const stepsMax = 6

/** Reads how many people are in a flow, and at which steps. Each dialog asks anew. */
export function useImpact({ kind, id }: FlowRef): UseQueryResult<Impact> {
  const { workspace } = useViewer()
  return useQuery({ ...reading(impactOf[kind](id, {}, { workspace: workspace.id })), staleTime: 0, gcTime: 0 })
}

/** How many people something touches, and where they stand. */
export function ImpactNote({ impact }: { impact: UseQueryResult<Impact> }) {
  if (impact.isPending) return <p role="status">Counting the people in it ...</p>
  if (impact.data === undefined) return <Failure error={impact.error} onRetry={() => void impact.refetch()} />
  const { open, standing } = impact.data
  if (open === 0) return <p>Nobody is in it now.</p>
  const most = standing.toSorted((a, b) => b.people - a.people)
  const rest = most.slice(stepsMax).reduce((sum, { people }) => sum + people, 0)
  const versions = new Set(standing.map(({ version }) => version))
  return (
    <>
      <p>In it now: {formatCount(open)}.</p>
      <ul className={styles.steps}>
        {most.slice(0, stepsMax).map(({ version, step, name, people }) => (
          <li key={`${version} ${step}`} dir="auto">
            {formatCount(people)} at {step === '' ? 'the beginning' : `"${name}"`}
            {versions.size > 1 && ` of version ${version}`}
          </li>
        ))}
        {rest > 0 && <li>{formatCount(rest)} at other steps</li>}
      </ul>
    </>
  )
}
