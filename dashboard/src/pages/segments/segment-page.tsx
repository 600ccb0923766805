import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type GetAdminHeadsSegmentsReply,
  type GetAdminSegmentsIdSampleReply,
  getAdminHeadsSegments,
  getAdminSegmentsIdCount,
  getAdminSegmentsIdSample,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import { displayName } from '../../words/people.ts'
import { formatDay } from '../../words/times.ts'
import styles from './cards.module.css'
import { ExportsCard } from './exports-card.tsx'
import { SegmentActions } from './segment-actions.tsx'
import { SizesCard } from './sizes-card.tsx'
import { WhyCard } from './why-card.tsx'

type Segment = GetAdminHeadsSegmentsReply['segments'][number]
type Sampled = GetAdminSegmentsIdSampleReply['people'][number]

const sampleSize = 10

/** One segment: who is in it, how many, and what uses it. */
export function SegmentPage() {
  const { workspace, may } = useViewer()
  return (
    <ThingPage
      list={{ title: 'Segments', one: 'segment', path: paths.segments(workspace.id) }}
      operation={getAdminHeadsSegments({ workspace: workspace.id })}
      headsOf={({ segments }) => segments}
      actions={(segment) => <SegmentActions segment={segment} />}
      sentence={({ membership }) => membership}
    >
      {(segment) => (
        <>
          <Card title="What it is">
            <Facts
              facts={[
                ...(segment.description === '' ? [] : [{ name: 'Description', value: segment.description }]),
                ...(segment.tags.length === 0 ? [] : [{ name: 'Tags', value: segment.tags.join(', ') }]),
                { name: 'Size', value: <Size segment={segment} /> },
                { name: 'Used by', value: <UsedBy users={segment} /> },
                { name: 'Changed', value: <Moment at={segment.updated_at} full /> },
              ]}
            />
          </Card>
          <SizesCard id={segment.id} />
          <WhyCard id={segment.id} />
          <ExportsCard segment={segment} />
          {may('people.read') && (
            <div className={styles.wide}>
              <Sample id={segment.id} />
            </div>
          )}
        </>
      )}
    </ThingPage>
  )
}

/** The size of the last day, and a button that counts now: that reads everybody, so nobody does it unasked. */
function Size({ segment: { id, size, size_on } }: { segment: Segment }) {
  const { workspace } = useViewer()
  const [isAsked, setIsAsked] = useState(false)
  const counted = useQuery({
    ...reading(getAdminSegmentsIdCount(id, { workspace: workspace.id })),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (isAsked) {
    if (counted.data === undefined) return <NoAnswer read={counted} what="the count" />
    return (
      <>
        {formatCount(counted.data.count)}, counted at <Moment at={new Date(counted.dataUpdatedAt).toISOString()} />
      </>
    )
  }
  return (
    <>
      {size_on === null ? 'Not counted yet' : `${formatCount(size)} on ${formatDay(size_on)}`}{' '}
      <Button onClick={() => setIsAsked(true)}>Count now</Button>
    </>
  )
}

function Sample({ id }: { id: string }) {
  const { workspace } = useViewer()
  const [seed, setSeed] = useState(1)
  const operation = getAdminSegmentsIdSample(id, { workspace: workspace.id, limit: sampleSize, seed })
  const read = useQuery(reading(operation))
  const columns = columnsOf((q) => paths.people(workspace.id, { q }))
  return (
    <Card title="Some of the people in it">
      {read.data === undefined ? (
        <NoAnswer read={read} what="a sample" />
      ) : read.data.people.length === 0 ? (
        <Note>Nobody is in it now.</Note>
      ) : (
        <>
          <Table caption="Some of the people in it" columns={columns} rows={read.data.people} keyOf={keyOf} />
          <div className={styles.buttons}>
            <Button onClick={() => setSeed(seed + 1)}>Show others</Button>
          </div>
        </>
      )}
    </Card>
  )
}

function keyOf({ external_id, created_at, email }: Sampled): string {
  return external_id ?? `${created_at} ${email}`
}

function columnsOf(pathOf: (q: string) => string): Column<Sampled>[] {
  return [
    {
      head: 'Person',
      cell: (person) => {
        const word = person.external_id ?? person.email ?? person.phone
        const name = displayName({ ...person, id: word ?? 'without identifiers' })
        return word === null ? name : <Link to={pathOf(word)}>{name}</Link>
      },
    },
    { head: 'E-mail', cell: ({ email }) => email ?? '-' },
    {
      head: 'Created',
      width: '26%',
      align: 'end',
      wideOnly: true,
      cell: ({ created_at }) => <Moment at={created_at} />,
    },
  ]
}
