import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import {
  countOf,
  kindWords,
  type Outline,
  type Path,
  type Standing,
  type Step,
  type StepStanding,
  standingOf,
} from '../../canvas/words.ts'
import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card, type Fact, Facts } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount, formatShare } from '../../words/numbers.ts'
import { formatDuration } from '../../words/times.ts'
import styles from './flow-steps.module.css'
import { type FlowRef, pathOfFlow } from './flow-words.ts'
import { PeopleAtStep } from './people-at-step.tsx'
import { RateFacts } from './rates.tsx'

type StepPanelProps = {
  flow: FlowRef
  step: Step
  outline: Outline
  standing: Standing | undefined
  onOpen: (step: string) => void
  onClose: () => void
}

/** A step beside its canvas: what it does, its figures with their reasons, where people go from it, and who is there. */
export function StepPanel({ flow, step, outline, standing, onOpen, onClose }: StepPanelProps) {
  const { workspace, may } = useViewer()
  useEscape(onClose)
  const counts = standing && standingOf(standing, step.id)
  const leads = step.paths.length > 0
  const listed = new URLSearchParams({ tab: 'people', step: step.id, state: 'open' })
  return (
    <SidePanel title={step.name} onClose={onClose}>
      <Card title="What it is">
        <Facts
          facts={[
            { name: 'Kind', value: kindWords[step.kind] },
            { name: 'What it does', value: <span dir="auto">{step.sentence}</span> },
            { name: 'Id', value: <code>{step.id}</code> },
          ]}
        />
      </Card>
      {counts && (
        <Card title="Its figures">
          <Facts facts={factsOf(counts, leads)} />
          {counts.outcomes.length > 0 && <Outcomes counts={counts} />}
          {may('messages.read') && counts.sent + counts.failed > 0 && (
            <div className={styles.actions}>
              <Link className={buttonClass()} to={paths.messages(workspace.id, { flow: flow.id, step: step.id })}>
                Show its messages
              </Link>
            </div>
          )}
        </Card>
      )}
      {counts?.rates && (
        <Card title="What followed, in all versions">
          <div className={styles.padded}>
            <RateFacts rates={counts.rates} />
          </div>
        </Card>
      )}
      {leads && (
        <Card title="Where people go">
          <Table
            caption="Where people go"
            columns={pathColumns(outline, (path) => countOf(standing, step.id, path), onOpen)}
            rows={step.paths}
            keyOf={({ name }) => name}
          />
        </Card>
      )}
      <Card title="Here now">
        <PeopleAtStep flow={flow} step={step.id} />
        <div className={styles.actions}>
          <Link className={buttonClass()} to={`${pathOfFlow(flow.kind, workspace.id, flow.id)}?${listed}`}>
            Show them in the list
          </Link>
        </div>
      </Card>
    </SidePanel>
  )
}

/** Escape closes the panel, unless a dialog is open over it. */
function useEscape(close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function factsOf({ waiting, longest_ms, held, passed, left }: StepStanding, leads: boolean): Fact[] {
  const longest = longest_ms === null ? '' : `, the longest ${formatDuration(longest_ms)}`
  return [
    { name: 'Here now', value: `${formatCount(waiting)}${longest}` },
    ...(held > 0 ? [{ name: 'Wait for "Resume"', value: formatCount(held) }] : []),
    ...(leads ? [{ name: 'Went on', value: formatCount(passed) }] : []),
    ...Object.entries(left).map(([reason, count]) => {
      return { name: `Left: ${reason.replaceAll('_', ' ')}`, value: formatCount(count) }
    }),
  ]
}

type Outcome = StepStanding['outcomes'][number]

function Outcomes({ counts: { outcomes, sent, failed } }: { counts: StepStanding }) {
  const columns: Column<Outcome>[] = [
    { head: 'Messages', wraps: true, cell: ({ family, words }) => <Mark family={family}>{words}</Mark> },
    { head: 'Count', width: '18%', align: 'end', cell: ({ count }) => formatCount(count) },
    { head: 'Share', width: '22%', align: 'end', cell: ({ count }) => formatShare(count, sent + failed) },
  ]
  return (
    <Table caption="What became of its messages" columns={columns} rows={outcomes} keyOf={({ reason }) => reason} />
  )
}

function pathColumns(
  { steps }: Outline,
  countFor: (path: Path) => number | undefined,
  onOpen: (step: string) => void,
): Column<Path>[] {
  const names = new Map(steps.map(({ id, name }) => [id, name]))
  return [
    {
      head: 'Path',
      wraps: true,
      cell: ({ name, words }) => (
        <span dir="auto">
          {name === '' ? 'next' : name}
          {words !== '' && `: ${words}`}
        </span>
      ),
    },
    {
      head: 'To',
      width: '32%',
      wraps: true,
      cell: ({ next }) =>
        next === null ? (
          'the end'
        ) : (
          <button type="button" className={styles.link} dir="auto" onClick={() => onOpen(next)}>
            {names.get(next) ?? next}
          </button>
        ),
    },
    { head: 'Went', width: '18%', align: 'end', cell: (path) => formatCount(countFor(path)) },
  ]
}
