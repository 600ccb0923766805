import type { StepStanding } from '../../canvas/words.ts'
import { Note } from '../../ui/facts.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount, formatShare } from '../../words/numbers.ts'

type Rates = NonNullable<StepStanding['rates']>
type Count = Rates['counts'][number]

const columns: Column<Count>[] = [
  { head: 'What followed', wraps: true, cell: ({ words }) => words },
  { head: 'Count', width: '18%', align: 'end', cell: ({ count }) => formatCount(count) },
  { head: 'Share', width: '20%', align: 'end', cell: ({ count, of }) => (of === null ? '-' : formatShare(count, of)) },
]

/** What followed the messages of a step, as far as it is known of their channel. */
export function RatesTable({ rates: { counts, unknown } }: { rates: Rates }) {
  return (
    <>
      {counts.length > 0 && (
        <Table caption="What followed its messages" columns={columns} rows={counts} keyOf={({ measure }) => measure} />
      )}
      {unknown !== null && <Note>{unknown}</Note>}
    </>
  )
}
