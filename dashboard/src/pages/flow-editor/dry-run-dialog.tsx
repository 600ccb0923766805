import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAdminHeadsSegments } from '../../api/generated.ts'
import { asking, reading } from '../../api/queries.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import { Failure } from '../../frame/failure.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { Mark } from '../../ui/mark.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import type { FlowRef } from '../flows/flow-words.ts'
import styles from './dry-run.module.css'
import { type DryRun, flowOperations } from './operations.ts'

type DryRunDialogProps = {
  flow: FlowRef
  name: string
  document: Definition
  onClose: () => void
}

/** Counts who would enter the definition as it stands now, and the others by reason. Nothing is sent. */
export function DryRunDialog({ flow, name, document, onClose }: DryRunDialogProps) {
  const { workspace } = useViewer()
  const [segment, setSegment] = useState('')
  const segments = useQuery(reading(getAdminHeadsSegments({ workspace: workspace.id }))).data?.segments ?? []
  const read = useQuery({
    ...asking(
      flowOperations[flow.kind].dryRun(
        flow.id,
        { definition: document, ...(segment !== '' && { segment_id: segment }) },
        { workspace: workspace.id },
      ),
    ),
    ...{ staleTime: 0, gcTime: 0 },
  })
  return (
    <Dialog label={`Dry run of ${name}`} onClose={onClose}>
      <div className={styles.content}>
        <h2 dir="auto">{`Dry run of "${name}"`}</h2>
        <p>Who would enter now, and why the others would not. Nothing is sent, and nothing is stored.</p>
        <div className={styles.segment}>
          <Select
            label="If it is sent to"
            shown
            value={segment}
            options={[
              { value: '', label: 'everybody' },
              ...segments.map(({ id, name: label }) => ({ value: id, label })),
            ]}
            onChange={setSegment}
          />
        </div>
        {read.isPending && <LoadingRows what="the dry run" />}
        {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data && <Answer answer={read.data} />}
        <div className={styles.buttons}>
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  )
}

type Row = { readonly outcome: string; readonly count: number; readonly because: string }

const columns: readonly Column<Row>[] = [
  {
    head: 'Outcome',
    width: '34%',
    wraps: true,
    cell: ({ outcome }) => (
      <Mark family={outcome === 'would_enter' ? 'sent' : 'held'}>{outcome.replaceAll('_', ' ')}</Mark>
    ),
  },
  { head: 'People', width: '16%', align: 'end', cell: ({ count }) => formatCount(count) },
  { head: 'For example', wraps: true, cell: ({ because }) => <span dir="auto">{because}</span> },
]

function Answer({ answer }: { answer: DryRun }) {
  const { counts, sample, notice, complete, as_of, variants, variant_names } = answer
  const rows = Object.entries(counts).map(([outcome, count]): Row => {
    return { outcome, count, because: sample.find((each) => each.outcome === outcome)?.because ?? '' }
  })
  const shares = Object.entries(variant_names).map(([id, name]) => `${name} ${formatCount(variants[id] ?? 0)}`)
  return (
    <>
      {rows.length === 0 ? (
        <p>There is nobody in this workspace to try it with.</p>
      ) : (
        <Table caption="Dry run" columns={columns} rows={rows} keyOf={({ outcome }) => outcome} />
      )}
      {shares.length > 1 && <p dir="auto">{`Those who would enter, by variant: ${shares.join(', ')}.`}</p>}
      {notice && <p>{notice}</p>}
      {!complete && <p>It took too long: not all people are counted.</p>}
      <p className={styles.soft}>
        As of <Moment at={as_of} full />.
      </p>
    </>
  )
}
