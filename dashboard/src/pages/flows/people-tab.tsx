import { useQuery } from '@tanstack/react-query'
import type { GetAdminCanvasesIdEntriesQuery } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, SelectFilter, TextFilter } from '../../frame/filters.tsx'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Empty } from '../../ui/states.tsx'
import { EntriesList } from './entries-list.tsx'
import styles from './flow-page.module.css'
import { entriesOf, type FlowRef } from './flow-words.ts'
import { versionOf } from './run-content.tsx'
import { RunPanel } from './run-panel.tsx'

type PeopleSearch = { step?: string; state?: string; version?: string; cursor?: string; panel?: string }
type State = GetAdminCanvasesIdEntriesQuery['state']

const states = [
  { value: 'open', label: 'in it now' },
  { value: 'ended', label: 'finished or left' },
  { value: 'waiting', label: 'wait for a time' },
  { value: 'listening', label: 'wait for an event' },
  { value: 'sending', label: 'wait for their message' },
  { value: 'arriving', label: 'have not begun' },
] as const satisfies readonly { value: State; label: string }[]

/** Who is or was in a flow, by step and state. */
export function PeopleTab({ flow, current }: { flow: FlowRef; current: number }) {
  const { workspace, may } = useViewer()
  const [{ step, state, version, cursor }, change] = usePageSearch<PeopleSearch>()
  const [opened, choose] = usePanel('run')
  const mayFollow = may('people.read')
  const chosen = mayFollow ? opened : undefined
  const filter = {
    ...(step !== undefined && { step }),
    ...(state !== undefined && { state: state as State }),
    ...(version !== undefined && { version: Number(version) }),
  }
  useFeed(entriesOf[flow.kind](flow.id, { ...filter, cursor, workspace: workspace.id }))
  const select = (some: PeopleSearch) => change({ ...some, cursor: undefined, panel: undefined })
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <Filters isFiltered={isFiltered} onDrop={() => select({ step: undefined, state: undefined, version: undefined })}>
        <StepFilter flow={flow} current={current} value={step} onChange={(next) => select({ step: next })} />
        <SelectFilter label="State" value={state} options={states} onChange={(next) => select({ state: next })} />
        <TextFilter
          label="Version"
          value={version}
          maxLength={String(2 ** 31).length}
          onChange={(next) => select({ version: next })}
        />
      </Filters>
      <div className={styles.sheet}>
        <EntriesList
          flow={flow}
          filter={filter}
          cursor={cursor}
          onCursor={(next) => change({ cursor: next, panel: undefined })}
          empty={<Nobody flow={flow} isFiltered={isFiltered} />}
          chosen={chosen}
          {...(mayFollow && { onChoose: choose })}
        />
      </div>
      {chosen !== undefined && <RunPanel flow={flow} id={chosen} onClose={() => choose(undefined)} />}
    </>
  )
}

function Nobody({ flow: { kind }, isFiltered }: { flow: FlowRef; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="Nobody matches these filters">People who were refused never entered, and are not listed.</Empty>
    )
  return (
    <Empty title={`Nobody has entered this ${kind}`}>
      People appear here when they enter, with the step at which they are and what they wait for.
    </Empty>
  )
}

type StepFilterProps = {
  flow: FlowRef
  current: number
  value: string | undefined
  onChange: (step: string | undefined) => void
}

/** Chooses a step by its name. The steps are those of the current version; the one of the query is offered too. */
function StepFilter({ flow: { kind, id }, current, value, onChange }: StepFilterProps) {
  const { workspace } = useViewer()
  const read = useQuery(reading(versionOf[kind](id, String(current), { workspace: workspace.id })))
  const steps = read.data?.outline?.steps ?? []
  const known = steps.map((each) => ({ value: each.id, label: each.name }))
  const options =
    value === undefined || steps.some((each) => each.id === value) ? known : [...known, { value, label: value }]
  return (
    <SelectFilter label={kind === 'canvas' ? 'Step' : 'Message'} value={value} options={options} onChange={onChange} />
  )
}
