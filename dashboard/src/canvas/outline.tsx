import { type KeyboardEvent, useMemo } from 'react'
import { formatCount } from '../words/numbers.ts'
import { type NestedPath, nestingOf, type Sequence } from './nesting.ts'
import styles from './outline.module.css'
import { Figures, heardClass, StepIcon } from './step-parts.tsx'
import { countOf, figuresOf, type Outline as InWords, kindWords, type Path, type Standing, type Step } from './words.ts'

type OutlineProps = {
  outline: InWords
  standing: Standing | undefined
  /** The step whose panel is open. */
  chosen: string | undefined
  onOpen: (step: string) => void
}

type Listed = OutlineProps & { readonly steps: ReadonlyMap<string, Step> }

/** A canvas as a nested list: all that the picture shows, in words. Arrow keys go from step to step. */
export function Outline(props: OutlineProps) {
  const { outline, standing } = props
  const nesting = useMemo(() => nestingOf(outline), [outline])
  const steps = useMemo(() => new Map(outline.steps.map((step) => [step.id, step])), [outline])
  const listed = { ...props, steps }
  const isVaried = outline.starts.length > 1
  return (
    // biome-ignore lint/a11y/useSemanticElements: its rows are no form.
    <div className={styles.outline} role="group" aria-label="Outline" onKeyDown={moveByKey}>
      <p className={styles.start}>
        {outline.sentence}
        {standing && ` ${formatCount(standing.entered)} entered.`}
      </p>
      {isVaried && (
        <ul className={styles.paths}>
          {outline.starts.map((start, i) => (
            <Branch
              key={start.name}
              path={start}
              count={standing && (standing.starts[start.next ?? ''] ?? 0)}
              follows={nesting.starts[i]!}
              listed={listed}
            />
          ))}
        </ul>
      )}
      <Steps steps={nesting.steps} listed={listed} />
      {nesting.unreached.length > 0 && (
        <>
          <h3 className={styles.apart}>No way leads here</h3>
          <Steps steps={nesting.unreached} listed={listed} />
        </>
      )}
    </div>
  )
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

function Row({ step, listed: { standing, chosen, onOpen } }: { step: Step; listed: Listed }) {
  return (
    <button
      type="button"
      className={styles.step}
      data-step={step.id}
      data-chosen={step.id === chosen || undefined}
      onClick={() => onOpen(step.id)}
    >
      <span className={styles.name}>
        <StepIcon kind={step.kind} />
        <span className={heardClass}>{kindWords[step.kind]}: </span>
        <strong dir="auto">{step.name}</strong>
      </span>
      <span className={styles.sentence} dir="auto">
        {step.sentence}
      </span>
      <Figures figures={figuresOf(step, standing)} />
    </button>
  )
}

/** Where people go from a step. The only way on is shown when it does not lead to the next row. */
function Ways({ step, paths, listed }: { step: Step; paths: readonly NestedPath[]; listed: Listed }) {
  if (step.paths.length < 2) {
    const [only] = paths
    if (only === undefined || only.kind === 'on') return null
    return (
      <p className={styles.then}>
        <Then follows={only} listed={listed} />
      </p>
    )
  }
  return (
    <ul className={styles.paths}>
      {step.paths.map((path, i) => (
        <Branch
          key={path.name}
          path={path}
          count={countOf(listed.standing, step.id, path)}
          follows={paths[i]!}
          listed={listed}
        />
      ))}
    </ul>
  )
}

type BranchProps = { path: Path; count: number | undefined; follows: NestedPath; listed: Listed }

function Branch({ path, count, follows, listed }: BranchProps) {
  return (
    <li>
      <p className={styles.path}>
        <strong dir="auto">{path.name}</strong>
        {path.words !== path.name && <span dir="auto">{path.words}</span>}
        {count !== undefined && <span className={styles.count}>{formatCount(count)} went this way</span>}
        {follows.kind !== 'steps' && <Then follows={follows} listed={listed} />}
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

function rowsAround(element: Element): HTMLElement[] {
  return [...(element.closest('[role=group]')?.querySelectorAll<HTMLElement>('[data-step]') ?? [])]
}

function goTo(from: Element, id: string): void {
  rowsAround(from)
    .find((row) => row.dataset.step === id)
    ?.focus()
}

function moveByKey(event: KeyboardEvent<HTMLElement>): void {
  const rows = rowsAround(event.currentTarget)
  const at = rows.indexOf(document.activeElement as HTMLElement)
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  rows[Math.min(Math.max(to, 0), rows.length - 1)]!.focus()
}
