import { useQuery } from '@tanstack/react-query'
import { getAdminSegmentsIdSizes } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { ColumnChart, type Series } from '../../ui/column-chart.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import { formatCount } from '../../words/numbers.ts'
import { formatDay } from '../../words/times.ts'

/** As many columns as a chart has room for. */
const days = 60

const title = 'Size by day'
const series: readonly Series[] = [{ name: 'people', fill: 'plain' }]

/** How large a segment was on each of the last days. */
export function SizesCard({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminSegmentsIdSizes(id, { workspace: workspace.id, days })))
  return (
    <Card title={title}>
      {read.data === undefined ? (
        <NoAnswer read={read} what="the sizes" />
      ) : read.data.data.length === 0 ? (
        <Note>It is not counted by day.</Note>
      ) : (
        <>
          <ColumnChart
            label={title}
            series={series}
            columns={read.data.data.map(({ time, size }) => ({ key: time, label: formatDay(time), counts: [size] }))}
            format={formatCount}
            isState
          />
          <Note>It is counted once a day. Days without a count are left out.</Note>
        </>
      )}
    </Card>
  )
}
