import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type GetAdminPeopleIdTimelineReply, getAdminPeopleIdTimeline } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { usePageSearch } from '../../frame/search.ts'
import { InZone, Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { CheckField } from '../../ui/form.tsx'
import { keyed } from '../../ui/keyed.ts'
import { Mark } from '../../ui/mark.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { formatTimeIn } from '../../words/times.ts'
import styles from './timeline.module.css'

export type TimelineItem = GetAdminPeopleIdTimelineReply['items'][number]
type Kind = TimelineItem['kind']
type Search = { kinds?: string; times?: string; cursor?: string; panel?: string }

const kindLabels: Readonly<Record<Kind, string>> = {
  event: 'Events',
  purchase: 'Purchases',
  session: 'Sessions',
  message: 'Messages',
  decision: 'Not sent',
  engagement: 'Opens and clicks',
  flow: 'Canvases',
  work: 'Merges',
}
const kinds = Object.keys(kindLabels) as Kind[]
/** In the address: the times are in the zone of the person. */
const theirs = 'theirs'

const kindWords: Readonly<Record<Kind, string>> = {
  event: 'event',
  purchase: 'purchase',
  session: 'session',
  message: 'message',
  decision: 'not sent',
  engagement: 'reaction',
  flow: 'canvas',
  work: 'merge',
}

/** What happened to a person, newest first. */
export function Timeline({ id, onWhy }: { id: string; onWhy: (about: string) => void }) {
  const { workspace, zone } = useViewer()
  const [search, change] = usePageSearch<Search>()
  const chosen = kinds.filter((kind) => search.kinds === undefined || search.kinds.split(',').includes(kind))
  const operation = getAdminPeopleIdTimeline(id, {
    workspace: workspace.id,
    kinds: search.kinds,
    cursor: search.cursor,
  })
  const read = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const choose = (kind: Kind, isWanted: boolean) => {
    const next = kinds.filter((each) => (each === kind ? isWanted : chosen.includes(each)))
    const isWhole = next.length === kinds.length || next.length === 0
    change({ kinds: isWhole ? undefined : next.join(','), cursor: undefined })
  }
  return (
    <>
      <fieldset className={styles.kinds}>
        <legend className={styles.legend}>Show</legend>
        {kinds.map((kind) => (
          <CheckField
            key={kind}
            label={kindLabels[kind]}
            checked={chosen.includes(kind)}
            onChange={(isWanted) => choose(kind, isWanted)}
          />
        ))}
        <Zones
          theirs={read.data?.time_zone}
          isTheirs={search.times === theirs}
          onTheirs={(isTheirs) => change({ times: isTheirs ? theirs : undefined })}
        />
      </fieldset>
      {read.isPending && <LoadingRows what="the timeline" />}
      {read.isError && !read.data && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && (
        <InZone zone={search.times === theirs ? read.data.time_zone : zone}>
          <Items
            items={read.data.items}
            isFiltered={search.kinds !== undefined}
            isDimmed={read.isPlaceholderData}
            onWhy={onWhy}
          />
        </InZone>
      )}
      {read.data && (
        <Pages reply={read.data} isFirst={search.cursor === undefined} onCursor={(cursor) => change({ cursor })} />
      )}
    </>
  )
}

type ZonesProps = { theirs: string | undefined; isTheirs: boolean; onTheirs: (isTheirs: boolean) => void }

/** The zone of the times, and that of the person where it is another one. */
function Zones({ theirs: zoneOfPerson, isTheirs, onTheirs }: ZonesProps) {
  const { zone, zoneLabel, now } = useViewer()
  const time = zoneOfPerson === undefined ? undefined : formatTimeIn(zoneOfPerson, now())
  if (zoneOfPerson === zone || time === undefined) {
    return (
      <span className={styles.zone} title={zone}>
        Times: {zoneLabel}
      </span>
    )
  }
  const options = [
    { value: '', label: zoneLabel },
    { value: theirs, label: `Theirs: ${zoneOfPerson}, ${time}` },
  ]
  return (
    <span className={styles.zone}>
      <Select
        label="Times"
        shown
        value={isTheirs ? theirs : ''}
        options={options}
        onChange={(value) => onTheirs(value === theirs)}
      />
    </span>
  )
}

type PagesProps = {
  reply: GetAdminPeopleIdTimelineReply
  isFirst: boolean
  onCursor: (cursor: string | undefined) => void
}

/** How far back was looked, and buttons to the other pages. */
export function Pages({ reply: { searched_until, cursor }, isFirst, onCursor }: PagesProps) {
  return (
    <div className={styles.pages}>
      <span>
        {searched_until === null ? (
          'This is everything that is kept.'
        ) : (
          <>
            Everything since <Moment at={searched_until} full /> was looked at.
          </>
        )}
      </span>
      {!isFirst && <Button onClick={() => onCursor(undefined)}>Newest</Button>}
      {cursor !== null && <Button onClick={() => onCursor(cursor)}>Older</Button>}
    </div>
  )
}

type ItemsProps = {
  items: readonly TimelineItem[]
  isFiltered: boolean
  isDimmed: boolean
  onWhy: (about: string) => void
}

function Items({ items, isFiltered, isDimmed, onWhy }: ItemsProps) {
  if (items.length === 0) {
    return (
      <Empty title="Nothing happened here">
        Events, purchases, messages and canvases of this person appear here, the newest first.
      </Empty>
    )
  }
  return (
    <ol className={`${styles.items} ${isDimmed ? styles.dimmed : ''}`} aria-busy={isDimmed}>
      {keyed(items, keyOf).map(({ entry: item, key }, i) => (
        <li key={key}>
          <Gap later={items[i - 1]?.at} at={item.at} isFiltered={isFiltered} />
          <Item item={item} onWhy={onWhy} />
        </li>
      ))}
    </ol>
  )
}

function keyOf({ at, kind, message_id, entry_id, sentence }: TimelineItem): string {
  return [at, kind, message_id, entry_id, sentence].join(' ')
}

const dayMs = 86_400_000
const gapDaysMin = 2

/** Says that nothing happened for some days. */
function Gap({ later, at, isFiltered }: { later: string | undefined; at: string; isFiltered: boolean }) {
  const days = later === undefined ? 0 : Math.floor((Date.parse(later) - Date.parse(at)) / dayMs)
  if (days < gapDaysMin) return null
  return (
    <div className={styles.gap}>
      {days} days {isFiltered ? 'without these' : 'of nothing'}
    </div>
  )
}

function Item({ item, onWhy }: { item: TimelineItem; onWhy: (about: string) => void }) {
  const { at, kind, family, sentence, detail } = item
  const about = aboutOf(item)
  return (
    <div className={styles.item} data-row>
      <span className={styles.time}>
        <Moment at={at} />
      </span>
      <span className={styles.kind}>{kindWords[kind]}</span>
      <div className={styles.said} dir="auto">
        {family === null ? sentence : <Mark family={family}>{sentence}</Mark>}
        {detail !== null && (
          <span className={styles.detail} dir="auto">
            {detail}
          </span>
        )}
      </div>
      {about !== undefined && (
        <Button look="quiet" aria-label={`Why: ${sentence}`} onClick={() => onWhy(about)}>
          Why?
        </Button>
      )}
    </div>
  )
}

/** What the panel explains about an item: its canvas, campaign or order. */
export function aboutOf({ family, flow, dispatch_id }: TimelineItem): string | undefined {
  if (family === null) return undefined
  if (flow) return `${flow.kind}:${flow.id}`
  return dispatch_id === null ? undefined : `send:${dispatch_id}`
}
