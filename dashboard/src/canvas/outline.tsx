import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { formatCount } from '../words/numbers.ts'
import { type CanvasEdits, editByKey, placesOf, problemWords } from './edits.ts'
import { type NestedPath, nestingOf, type Sequence } from './nesting.ts'
import styles from './outline.module.css'
import { Figures, heardClass, StepIcon } from './step-parts.tsx'
import { countOf, figuresOf, type Outline as InWords, kindWords, type Path, type Standing, type Step } from './words.ts'

type OutlineProps = {
  outline: InWords
  standing: Standing | undefined
  /** The step whose panel is open. */
  chosen: string | undefined
  /** `byKey`: it was opened by a key. */
  onOpen: (step: string, byKey: boolean) => void
  /** Absent for an outline that is only looked at. */
  edits?: CanvasEdits | undefined
}

type Listed = OutlineProps & { readonly steps: ReadonlyMap<string, Step> }

/** A canvas as a nested list: all that the picture shows, in words. Arrow keys go from step to step. */
export function Outline(props: OutlineProps) {
  const { outline, standing, edits } = props
  const nesting = useMemo(() => nestingOf(outline), [outline])
  const steps = useMemo(() => new Map(outline.steps.map((step) => [step.id, step])), [outline])
  const list = useRef<HTMLDivElement>(null)
  const wish = edits?.focus
  const fulfilled = useRef(wish)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step that was just added is drawn a moment later.
  useEffect(() => {
    if (wish === undefined || wish === fulfilled.current) return
    const row = rowsIn(list.current!).find((each) => each.dataset.step === wish.step)
    if (!row) return
    fulfilled.current = wish
    row.focus()
  }, [wish, outline])
  const listed = { ...props, steps }
  const isVaried = outline.starts.length > 1
  return (
    // biome-ignore lint/a11y/useSemanticElements: its rows are no form.
    <div
      ref={list}
      className={styles.outline}
      role="group"
      aria-label="Outline"
      onKeyDown={(event) => moveByKey(event, listed)}
    >
      <Start listed={listed} />
      {isVaried && (
        <ul className={styles.paths}>
          {outline.starts.map((start, i) => (
            <Branch
              key={start.name}
              from={undefined}
              at={i}
              path={start}
              count={standing && (standing.starts[start.next ?? ''] ?? 0)}
              follows={nesting.starts[i]!}
              listed={listed}
            />
          ))}
        </ul>
      )}
      {edits && !isVaried && <Add edits={edits} from={undefined} at={0} where="after the entry" />}
      <Steps steps={nesting.steps} listed={listed} />
      {nesting.unreached.length > 0 && (
        <>
          <h3 className={styles.apart}>No way leads here</h3>
          {edits && (
            <Button className={styles.remove} onClick={edits.removeUnreached}>
              Remove what no way leads to
            </Button>
          )}
          <Steps steps={nesting.unreached} listed={listed} />
        </>
      )}
    </div>
  )
}

function Start({ listed: { outline, standing, edits } }: { listed: Listed }) {
  const words = `${outline.sentence}${standing ? ` ${formatCount(standing.entered)} entered.` : ''}`
  if (!edits) return <p className={styles.start}>{words}</p>
  return (
    <button
      type="button"
      className={styles.step}
      data-step=""
      data-chosen={edits.isEntryOpen || undefined}
      onClick={edits.openEntry}
    >
      <strong>Entry</strong>
      <span className={styles.sentence}>{words}</span>
      <Problems count={edits.problems.get('')} />
    </button>
  )
}

function Problems({ count = 0 }: { count: number | undefined }) {
  return count === 0 ? null : <span className={styles.wrong}>{problemWords(count)}</span>
}

function Steps({ steps, listed }: { steps: Sequence; listed: Listed }) {
  if (steps.length === 0) return null
  return (
    <ol className={styles.steps}>
      {steps.map(({ id, paths }) => (
        <li key={id}>
          <Row step={listed.steps.get(id)!} listed={listed} />
          <Ways step={listed.steps.get(id)!} paths={paths} listed={listed} />
        </li>
      ))}
    </ol>
  )
}

function Row({ step, listed: { standing, chosen, onOpen, edits } }: { step: Step; listed: Listed }) {
  const row = (
    <button
      type="button"
      className={styles.step}
      data-step={step.id}
      data-chosen={step.id === chosen || undefined}
      onClick={(event) => onOpen(step.id, event.detail === 0)}
    >
      <span className={styles.name}>
        <StepIcon kind={step.kind} />
        <span className={heardClass}>{kindWords[step.kind]}: </span>
        <strong dir="auto">{step.name}</strong>
      </span>
      <span className={styles.sentence} dir="auto">
        {step.sentence}
      </span>
      <span className={styles.ends}>
        <Figures figures={figuresOf(step, standing)} />
        <Problems count={edits?.problems.get(step.id)} />
      </span>
    </button>
  )
  if (!edits) return row
  return (
    <div className={styles.row}>
      {row}
      <span className={styles.tools}>
        <IconButton label={`Move up: ${step.name} (Alt Up)`} onClick={() => edits.move(step.id, -1)}>
          <ArrowUp size={16} aria-hidden />
        </IconButton>
        <IconButton label={`Move down: ${step.name} (Alt Down)`} onClick={() => edits.move(step.id, 1)}>
          <ArrowDown size={16} aria-hidden />
        </IconButton>
        <IconButton label={`Delete: ${step.name} (Delete)`} onClick={() => edits.remove(step.id)}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </span>
    </div>
  )
}

function Add({ edits, from, at, where }: { edits: CanvasEdits; from: string | undefined; at: number; where: string }) {
  return (
    <Button
      look="quiet"
      className={styles.add}
      aria-label={`Add a step ${where}`}
      onClick={() => edits.add([{ from, at }])}
    >
      <Plus size={14} aria-hidden />
      step
    </Button>
  )
}

/** Where people go from a step. The only way on is shown when it does not lead to the next row. */
function Ways({ step, paths, listed }: { step: Step; paths: readonly NestedPath[]; listed: Listed }) {
  const { edits } = listed
  if (step.paths.length < 2) {
    const [only] = paths
    if (only === undefined || (only.kind === 'on' && !edits)) return null
    return (
      <p className={styles.then}>
        <Then follows={only} listed={listed} />
        {edits && <Add edits={edits} from={step.id} at={0} where={`after "${step.name}"`} />}
      </p>
    )
  }
  return (
    <ul className={styles.paths}>
      {step.paths.map((path, i) => (
        <Branch
          key={path.name}
          from={step}
          at={i}
          path={path}
          count={countOf(listed.standing, step.id, path)}
          follows={paths[i]!}
          listed={listed}
        />
      ))}
    </ul>
  )
}

type BranchProps = {
  from: Step | undefined
  at: number
  path: Path
  count: number | undefined
  follows: NestedPath
  listed: Listed
}

function Branch({ from, at, path, count, follows, listed }: BranchProps) {
  const where = `after ${from === undefined ? 'the entry' : `"${from.name}"`}, on ${path.name}`
  return (
    <li>
      <p className={styles.path}>
        <strong dir="auto">{path.name}</strong>
        {path.words !== path.name && <span dir="auto">{path.words}</span>}
        {count !== undefined && <span className={styles.count}>{formatCount(count)} went this way</span>}
        {follows.kind !== 'steps' && <Then follows={follows} listed={listed} />}
        {listed.edits && <Add edits={listed.edits} from={from?.id} at={at} where={where} />}
      </p>
      {follows.kind === 'steps' && <Steps steps={follows.steps} listed={listed} />}
    </li>
  )
}

function Then({ follows, listed }: { follows: NestedPath; listed: Listed }) {
  if (follows.kind === 'end') return <span>Then the end.</span>
  if (follows.kind !== 'to') return null
  return (
    <span dir="auto">
      Then{' '}
      <button type="button" className={styles.link} onClick={(event) => goTo(event.currentTarget, follows.id)}>
        {listed.steps.get(follows.id)?.name ?? follows.id}
      </button>
    </span>
  )
}

function rowsIn(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[data-step]')]
}

function goTo(from: Element, id: string): void {
  rowsIn(from.closest('[role=group]')!)
    .find((row) => row.dataset.step === id)
    ?.focus()
}

function moveByKey(event: KeyboardEvent<HTMLElement>, { edits, outline }: Listed): void {
  const rows = rowsIn(event.currentTarget)
  const at = rows.indexOf(document.activeElement as HTMLElement)
  if (at < 0 || event.ctrlKey || event.metaKey) return
  if (edits && editRow(edits, outline, rows[at]!.dataset.step!, event)) {
    event.preventDefault()
    return
  }
  if (event.altKey) return
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  rows[Math.min(Math.max(to, 0), rows.length - 1)]!.focus()
}

function editRow(edits: CanvasEdits, outline: InWords, step: string, event: KeyboardEvent): boolean {
  const paths = step === '' ? outline.starts : outline.steps.find(({ id }) => id === step)?.paths
  return editByKey(edits, step, event, placesOf(step === '' ? undefined : step, paths ?? []))
}
