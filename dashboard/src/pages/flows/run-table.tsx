import { Link } from '@tanstack/react-router'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Note } from '../../ui/facts.tsx'
import { type Family, Mark } from '../../ui/mark.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type Fill, TimeBar, TimeHead, type TimeScale } from '../../ui/time-bar.tsx'
import { formatDuration } from '../../words/times.ts'
import { MomentOrNone } from './entries-list.tsx'
import { axisOf } from './run-axis.ts'
import type { Run, RunMessage, RunStep } from './run-steps.ts'
import styles from './run-table.module.css'

type RunTableProps = {
  run: Run
  steps: readonly RunStep[]
  /** What each step does, by its id. */
  does: ReadonlyMap<string, string>
  isSmall?: boolean | undefined
}

/** The way of a person, a row for each step: what came of it, from when until when, and the same as bars on one axis. */
export function RunTable(props: RunTableProps) {
  return props.steps.length === 0 ? <Note>No arrival at a step is recorded.</Note> : <Rows {...props} />
}

function Rows({ run, steps, does, isSmall }: RunTableProps) {
  const { now, zoneLabel } = useViewer()
  const nowMs = now().getTime()
  const scale = useScale(steps, nowMs)
  const columns: (Column<RunStep> & { readonly isWide?: boolean })[] = [
    { head: 'Step', width: isSmall ? '38%' : '20%', wraps: true, cell: (step) => <StepCell step={step} does={does} /> },
    { head: 'What came of it', wraps: true, cell: (step) => <Outcome run={run} step={step} /> },
    { ...moment(`Came (${zoneLabel})`, 'came', ({ fromMs }) => fromMs), isWide: true },
    { ...moment(`Left, or until (${zoneLabel})`, 'until', ({ untilMs }) => untilMs), isWide: true },
    {
      head: isSmall ? 'When' : <TimeHead scale={scale} />,
      width: isSmall ? '26%' : '32%',
      wideOnly: true,
      cell: (step) => <Bar run={run} step={step} scale={scale} nowMs={nowMs} />,
    },
  ]
  return (
    <Table
      caption="The way, step by step"
      columns={isSmall ? columns.filter(({ isWide }) => !isWide) : columns}
      rows={steps}
      keyOf={({ key }) => key}
    />
  )
}

function moment(head: string, word: string, of: (step: RunStep) => number | undefined): Column<RunStep> {
  return {
    ...{ head, width: '12%', align: 'end' },
    cell: (step) => {
      const ms = of(step)
      return <MomentOrNone word={word} at={ms === undefined ? null : new Date(ms).toISOString()} />
    },
  }
}

/** The axis of all steps, with words for its labels. */
function useScale(steps: readonly RunStep[], nowMs: number): TimeScale {
  const { moment: words } = useViewer()
  const isOpen = steps.some(({ isHere }) => isHere)
  const axis = axisOf([
    ...steps.flatMap(({ fromMs, untilMs }) => (untilMs === undefined ? [fromMs] : [fromMs, untilMs])),
    ...(isOpen ? [nowMs] : []),
  ])
  return {
    cuts: axis.cuts.map(({ left, width, fromMs, untilMs }) => {
      return { left, width, words: `.. ${formatDuration(untilMs - fromMs)} ..` }
    }),
    labels: axis.labels.map((ms) => ({ left: axis.at(ms), words: words(new Date(ms).toISOString()) })),
    now: isOpen ? axis.at(nowMs) : undefined,
    at: axis.at,
  }
}

function StepCell({ step: { step, name, visit, path }, does }: { step: RunStep; does: ReadonlyMap<string, string> }) {
  const more = [
    ...(path === null ? [] : [`Came by the path "${path}".`]),
    ...(visit > 1 ? [`Here for the ${visit}. time.`] : []),
    ...(does.has(step) ? [does.get(step)!] : []),
  ]
  return (
    <>
      <span dir="auto">{name}</span>
      {more.length > 0 && (
        <div className={styles.more} dir="auto">
          {more.join(' ')}
        </div>
      )}
    </>
  )
}

/** What became of the messages of a step, what the person waits for there, or which way they took. */
function Outcome({ run: { entry }, step: { messages, isHere, isLast, taken } }: { run: Run; step: RunStep }) {
  if (isHere) {
    return (
      <>
        <Messages messages={messages} />
        <Mark family={entry.held ? 'held' : 'waiting'}>waits for {entry.waits_for ?? 'its turn'}</Mark>
      </>
    )
  }
  const left = isLast && entry.reason !== 'completed' && entry.because !== null
  if (messages.length === 0 && !left) return taken === null ? '-' : <span dir="auto">took the path "{taken}"</span>
  return (
    <>
      <Messages messages={messages} />
      {left && <Mark family={entry.family ?? 'held'}>left: {entry.because}</Mark>}
    </>
  )
}

function Messages({ messages }: { messages: readonly RunMessage[] }) {
  return messages.map((message) => <MessageLink key={message.message_id} message={message} />)
}

/** What became of a message. It leads to the message, which says why. */
export function MessageLink({ message }: { message: RunMessage }) {
  const { workspace } = useViewer()
  const { message_id, family, reason, state, sentence } = message
  return (
    <div>
      <Link to={paths.message(workspace.id, message_id)} title={sentence}>
        <Mark family={family}>{(reason ?? state).replaceAll('_', ' ')}</Mark>
      </Link>
    </div>
  )
}

type BarProps = { run: Run; step: RunStep; scale: TimeScale; nowMs: number }

function Bar({ run: { entry }, step: { messages, fromMs, untilMs, isHere }, scale, nowMs }: BarProps) {
  const family: Family | undefined = messages.at(-1)?.family
  const fill: Fill = isHere ? (entry.held ? 'held' : 'waiting') : (family ?? 'plain')
  // Without a time until which the person waits, the bar ends now.
  return (
    <TimeBar
      scale={scale}
      fromMs={fromMs}
      untilMs={untilMs ?? (isHere ? Math.max(nowMs, fromMs) : fromMs)}
      fill={fill}
      isOpen={isHere}
    />
  )
}
