import { useQuery } from '@tanstack/react-query'
import {
  type GetAdminCanvasesIdConversionsReply,
  getAdminCampaignsIdConversions,
  getAdminCanvasesIdConversions,
} from '../../api/generated.ts'
import { polling } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import { IntervalBar } from '../../ui/interval-bar.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount, formatRate } from '../../words/numbers.ts'
import styles from './conversions-tab.module.css'
import page from './flow-page.module.css'
import type { FlowRef } from './flow-words.ts'

type Conversion = GetAdminCanvasesIdConversionsReply['conversions'][number]
type Row = Conversion['all'] & { readonly id: string; readonly name: string }

const everyMs = 30_000
const conversionsOf = { canvas: getAdminCanvasesIdConversions, campaign: getAdminCampaignsIdConversions } as const

/** How many people each variant of a flow converts, with the interval in which the rate lies. */
export function ConversionsTab({ flow }: { flow: FlowRef }) {
  const { workspace } = useViewer()
  const operation = conversionsOf[flow.kind](flow.id, { workspace: workspace.id })
  const read = useQuery(polling(operation, everyMs))
  useFeed(operation)
  if (read.isPending) return <LoadingRows what="conversions" />
  if (read.data === undefined) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const { conversions } = read.data
  if (conversions.length === 0) {
    return (
      <div className={page.sheet}>
        <Empty title={`This ${flow.kind} has no conversion event`}>
          Name an event or a purchase in <code>conversions</code> of the {flow.kind}. Then you see here how many people
          do it after a message, variant by variant.
        </Empty>
      </div>
    )
  }
  return (
    <div className={styles.cards}>
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {conversions.map((conversion) => (
        <OneConversion key={conversion.name} conversion={conversion} />
      ))}
      <Note>
        All versions are counted together, without the control group. The true rate lies within the interval in 95 of
        100 cases.
      </Note>
    </div>
  )
}

function OneConversion({ conversion: { name, sentence, all, variants } }: { conversion: Conversion }) {
  const rows: Row[] = [...variants, { id: '', name: 'All together', ...all }]
  const top = topOf(rows)
  const columns: Column<Row>[] = [
    { head: 'Variant', width: '22%', wraps: true, cell: (row) => <span dir="auto">{row.name}</span> },
    { head: 'Entered', width: '11%', align: 'end', cell: ({ entered }) => <Counted word="entered" count={entered} /> },
    {
      head: 'Converted',
      width: '11%',
      align: 'end',
      cell: ({ converted }) => <Counted word="converted" count={converted} />,
    },
    { head: 'Rate', width: '9%', align: 'end', cell: ({ rate }) => formatRate(rate) },
    {
      head: 'Interval',
      width: '17%',
      align: 'end',
      cell: ({ low, high }) => (low === null ? '-' : `${formatRate(low)} to ${formatRate(high)}`),
    },
    {
      head: (
        <span className={styles.scale}>
          <span>0%</span>
          <span>{formatRate(top)}</span>
        </span>
      ),
      wideOnly: true,
      cell: ({ rate, low, high }) => rate !== null && <IntervalBar rate={rate} low={low!} high={high!} top={top} />,
    },
  ]
  return (
    <Card title={name}>
      <Note>{sentence}</Note>
      <Table caption={name} columns={columns} rows={rows} keyOf={({ id }) => id} />
    </Card>
  )
}

/** A count. The word before it stands only where the table has no heads. */
function Counted({ word, count }: { word: string; count: number }) {
  return (
    <>
      <span className={styles.word}>{word} </span>
      {formatCount(count)}
    </>
  )
}

const tops = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

/** Returns the end of the scale on which all intervals fit. */
function topOf(rows: readonly Row[]): number {
  const highest = Math.max(0, ...rows.map(({ high }) => high ?? 0))
  return tops.find((top) => highest <= top) ?? 1
}
