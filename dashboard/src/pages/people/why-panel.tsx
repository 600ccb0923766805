import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { getAdminCampaigns, getAdminCanvases, getAdminDispatches, getAdminSegments } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { FlowAnswer, SegmentAnswer } from './why-answer.tsx'
import styles from './why-panel.module.css'

const kinds = {
  canvas: { label: 'Canvas', ability: 'canvases.read' },
  campaign: { label: 'Campaign', ability: 'campaigns.read' },
  send: { label: 'Send', ability: 'dispatches.read' },
  segment: { label: 'Segment', ability: 'segments.read' },
} as const
type Kind = keyof typeof kinds

type WhyPanelProps = {
  /** The id of the person. */
  id: string
  /** What the panel is about: `canvas:ID`, `canvas` for the list of canvases, or nothing. */
  about: string
  onAbout: (about: string | undefined) => void
}

/** Explains why a person got something or did not: choose a canvas, campaign, send or segment, and read the answer. */
export function WhyPanel({ id, about, onAbout }: WhyPanelProps) {
  const { may } = useViewer()
  const readable = (Object.keys(kinds) as Kind[]).filter((kind) => may(kinds[kind].ability))
  const colon = about.indexOf(':')
  const named = colon < 0 ? about : about.slice(0, colon)
  const kind = named in kinds ? (named as Kind) : readable[0]
  const chosen = colon < 0 ? '' : about.slice(colon + 1)
  return (
    <SidePanel title="Why not ...?" onClose={() => onAbout(undefined)}>
      {kind !== undefined && chosen !== '' && (
        <>
          <Button className={styles.back} onClick={() => onAbout(kind)}>
            Ask about something else
          </Button>
          {kind === 'segment' ? (
            <SegmentAnswer person={id} id={chosen} />
          ) : (
            <FlowAnswer person={id} kind={kind} id={chosen} />
          )}
        </>
      )}
      {chosen === '' && kind === undefined && <p>You may not see canvases, campaigns, sends or segments.</p>}
      {chosen === '' && kind !== undefined && (
        <>
          <p>What did the person not get, or get by mistake?</p>
          <fieldset className={styles.kinds} aria-label="Kind">
            {readable.map((each) => (
              <Button key={each} aria-pressed={each === kind} onClick={() => onAbout(each)}>
                {kinds[each].label}
              </Button>
            ))}
          </fieldset>
          <Chooser kind={kind} onChoose={(one) => onAbout(`${kind}:${one}`)} />
        </>
      )}
    </SidePanel>
  )
}

type ChooserProps = { kind: Kind; onChoose: (id: string) => void }

function Chooser({ kind, onChoose }: ChooserProps) {
  if (kind === 'canvas') return <Canvases onChoose={onChoose} />
  if (kind === 'campaign') return <Campaigns onChoose={onChoose} />
  return kind === 'send' ? <Sends onChoose={onChoose} /> : <Segments onChoose={onChoose} />
}

type ListProps = { onChoose: (id: string) => void }

function Canvases({ onChoose }: ListProps) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminCanvases({ workspace: workspace.id })))
  return (
    <Choices
      read={read}
      all={read.data?.canvases.map(({ id, name, state }) => ({ id, name, more: state }))}
      onChoose={onChoose}
    />
  )
}

function Campaigns({ onChoose }: ListProps) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminCampaigns({ workspace: workspace.id })))
  return (
    <Choices
      read={read}
      all={read.data?.campaigns.map(({ id, name, state }) => ({ id, name, more: state }))}
      onChoose={onChoose}
    />
  )
}

function Segments({ onChoose }: ListProps) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminSegments({ workspace: workspace.id })))
  return <Choices read={read} all={read.data?.segments.map(({ id, name }) => ({ id, name }))} onChoose={onChoose} />
}

const sendsMax = 100

function Sends({ onChoose }: ListProps) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminDispatches({ workspace: workspace.id, limit: sendsMax })))
  const all = read.data?.dispatches.map(({ dispatch_id, subject, what, created_at }) => {
    return { id: dispatch_id, name: subject ?? what, more: <Moment at={created_at} /> }
  })
  return <Choices read={read} all={all} onChoose={onChoose} />
}

type Choice = { readonly id: string; readonly name: string; readonly more?: ReactNode }
type ChoicesProps = {
  read: { isPending: boolean; error: unknown; refetch: () => unknown }
  all: readonly Choice[] | undefined
  onChoose: (id: string) => void
}

function Choices({ read, all, onChoose }: ChoicesProps) {
  const [text, setText] = useState('')
  if (read.isPending) return <LoadingRows what="the list" />
  if (!all) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const fitting = all.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <>
      <SearchField
        label="Find by name"
        placeholder="Name"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {fitting.length === 0 && <p role="status">There is none{all.length > 0 ? ' with this name' : ' yet'}.</p>}
      <ul className={styles.choices}>
        {fitting.map(({ id, name, more }) => (
          <li key={id}>
            <Button look="quiet" className={styles.choice} onClick={() => onChoose(id)}>
              <span dir="auto">{name}</span>
              {more !== undefined && <span className={styles.more}>{more}</span>}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}
