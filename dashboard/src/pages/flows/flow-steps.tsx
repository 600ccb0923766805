import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import {
  getAdminCampaignsIdStanding,
  getAdminCampaignsIdVersions,
  getAdminCanvasesIdStanding,
  getAdminCanvasesIdVersions,
} from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { Outline } from '../../canvas/outline.tsx'
import { FigureLegend } from '../../canvas/step-parts.tsx'
import type { Outline as InWords, Standing } from '../../canvas/words.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { usePageSearch } from '../../frame/search.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Note } from '../../ui/facts.tsx'
import { Select } from '../../ui/field.tsx'
import { useIsNarrow } from '../../ui/narrow.ts'
import { LoadingRows } from '../../ui/states.tsx'
import { formatCount } from '../../words/numbers.ts'
import styles from './flow-steps.module.css'
import type { FlowKind } from './flow-words.ts'
import { versionOf } from './run-content.tsx'
import { StepPanel } from './step-panel.tsx'
import { Variants } from './variants.tsx'

// The library that draws it is loaded when a picture is looked at.
const Picture = lazy(() => import('../../canvas/picture.tsx'))

const everyMs = 5_000
const operations = {
  canvas: {
    versions: getAdminCanvasesIdVersions,
    standing: getAdminCanvasesIdStanding,
  },
  campaign: {
    versions: getAdminCampaignsIdVersions,
    standing: getAdminCampaignsIdStanding,
  },
} as const

const spans = [
  { value: '', label: 'all days' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
] as const

const legends = {
  picture: ['waiting', 'sent', 'held', 'failed', 'uncertain'],
  outline: ['waiting', undefined, 'sent', 'held', 'failed', 'uncertain'],
  campaign: ['sent', 'held', 'failed', 'uncertain'],
} as const

type FlowStepsProps = {
  kind: FlowKind
  id: string
  /** The version that people enter now. */
  newest: number
  /** A canvas is a picture or its outline. */
  view: 'picture' | 'outline'
}
type StepsSearch = { version?: string; hours?: string; step?: string }

/** The steps of a version with their counts, which are read again and again. */
export function FlowSteps({ kind, id, newest, view }: FlowStepsProps) {
  const { workspace } = useViewer()
  const [search, change] = usePageSearch<StepsSearch>()
  const version = versionIn(search, newest)
  const hours = spans.find(({ value }) => value === search.hours)?.value ?? ''
  const inWords = useQuery({
    ...reading(versionOf[kind](id, String(version), { workspace: workspace.id })),
    placeholderData: keepPreviousData,
  })
  const counts = operations[kind].standing(id, {
    ...{ workspace: workspace.id, version },
    ...(hours !== '' && { hours: Number(hours) }),
  })
  const standing = useQuery({ ...polling(counts, everyMs), placeholderData: keepPreviousData })
  useFeed(counts)
  const open = (step: string | undefined) => change({ step })
  const outline = inWords.data?.outline
  if (outline === undefined) return <NoAnswer read={inWords} what="the steps" />
  if (outline === null) return <Note>This version cannot be read: an earlier release of Easel wrote it.</Note>
  const step = outline.steps.find((each) => each.id === search.step)
  // Counts of another version are those of other steps.
  const isSame = !inWords.isPlaceholderData && standing.data?.version === version
  const current = isSame ? standing.data : undefined
  return (
    <>
      <div className={styles.choices}>
        <VersionChoice kind={kind} id={id} version={version} newest={newest} />
        <Select
          label="Counts of"
          shown
          value={hours}
          options={spans}
          onChange={(value) => change({ hours: value === '' ? undefined : value }, { replace: true })}
        />
        {current && (
          <span className={styles.soft} role="status">
            {formatCount(current.entered)} entered, {formatCount(current.ended)} ended, as of <Moment at={current.at} />
            {current.since !== null && `, since ${current.since}`}
          </span>
        )}
      </div>
      {standing.isError && <Failure error={standing.error} onRetry={() => void standing.refetch()} />}
      <View kind={kind} view={view} outline={outline} standing={current} chosen={step?.id} onOpen={open} />
      <p className={styles.soft}>
        Counts are those of this version, and what followed messages is that of all versions. Steps passed before Easel
        counted them are missing.
      </p>
      {step && (
        <StepPanel
          flow={{ kind, id }}
          step={step}
          outline={outline}
          standing={current}
          onOpen={open}
          onClose={() => open(undefined)}
        />
      )}
    </>
  )
}

function versionIn({ version }: StepsSearch, newest: number): number {
  const asked = /^[1-9]\d{0,8}$/.test(version ?? '') ? Number(version) : newest
  return Math.min(asked, newest)
}

type ViewProps = Pick<FlowStepsProps, 'kind' | 'view'> & {
  outline: InWords
  standing: Standing | undefined
  chosen: string | undefined
  onOpen: (step: string) => void
}

function View({ kind, view, ...shown }: ViewProps) {
  const isNarrow = useIsNarrow()
  const drawn = kind === 'campaign' ? kind : isNarrow ? 'outline' : view
  return (
    <>
      {drawn === 'campaign' && <Variants {...shown} />}
      {drawn === 'outline' && <Outline {...shown} />}
      {drawn === 'picture' && (
        <Suspense fallback={<LoadingRows what="the picture" />}>
          <Picture {...shown} />
        </Suspense>
      )}
      {shown.standing && <FigureLegend families={legends[drawn]} />}
    </>
  )
}

type VersionChoiceProps = Pick<FlowStepsProps, 'kind' | 'id' | 'newest'> & { version: number }

/** Chooses an earlier version. The people who entered it are still on it. */
function VersionChoice({ kind, id, version, newest }: VersionChoiceProps) {
  const { workspace } = useViewer()
  const [, change] = usePageSearch<StepsSearch>()
  const versions = useQuery({
    ...reading(operations[kind].versions(id, { workspace: workspace.id })),
    enabled: newest > 1,
  })
  if (newest === 1) return null
  const known = versions.data?.versions ?? []
  const options = (known.some((each) => each.version === version) ? known : [{ version, people: 0 }, ...known]).map(
    (each) => ({
      value: String(each.version),
      label: `${each.version}${each.version === newest ? ', current' : ''}${each.people > 0 ? `, ${formatCount(each.people)} in it` : ''}`,
    }),
  )
  return (
    <Select
      label="Version"
      shown
      value={String(version)}
      options={options}
      onChange={(value) => change({ version: value === String(newest) ? undefined : value, step: undefined })}
    />
  )
}
