import { type Node, type NodeProps, useStore } from '@xyflow/react'
import { type KeyboardEvent, memo, useEffect, useRef } from 'react'
import { formatCount } from '../words/numbers.ts'
import type { Box } from './arrange.ts'
import { problemWords } from './edits.ts'
import { detailOf } from './first-view.ts'
import styles from './picture.module.css'
import { Figures, heardClass, StepIcon } from './step-parts.tsx'
import { type Figure, figureText, kindWords, type Step } from './words.ts'

export type StepBox = Node<
  {
    readonly box: Box
    readonly step: Step | undefined
    readonly figures: readonly Figure[]
    readonly entered: number | undefined
    readonly sentence: string
    /** The only one that Tab reaches. */
    readonly isCurrent: boolean
    /** Whether it takes the focus as soon as it is there. */
    readonly takesFocus: boolean
    readonly isChosen: boolean
    /** How many mistakes it has. */
    readonly problems: number
    readonly onOpen: (step: string, byKey: boolean) => void
    /** Opens the forms of the entry; undefined for a picture that is only looked at. */
    readonly onEntry: (() => void) | undefined
    readonly onFocus: (step: string) => void
    readonly onKey: (event: KeyboardEvent, step: string) => void
  },
  'box'
>

function nameOf({ kind, name }: Step): string {
  return `${kindWords[kind]}: ${name}`
}

/** A box of the picture: the entry, a step, or an end. */
export const DrawnBox = memo(function DrawnBox({ data }: NodeProps<StepBox>) {
  const { box, step, isCurrent, takesFocus, isChosen, problems } = data
  const button = useRef<HTMLButtonElement>(null)
  // What is too small to be drawn is still said.
  const isFull = useStore(detailOf) === 'all'
  useEffect(() => {
    if (takesFocus) button.current?.focus({ preventScroll: true })
  }, [takesFocus])
  if (box.kind === 'end') return <div className={styles.end}>the end</div>
  const isStart = step === undefined
  if (isStart && !data.onEntry) return <div className={styles.start}>{startWords(data)}</div>
  const id = step?.id ?? ''
  return (
    <button
      ref={button}
      type="button"
      className={`${isStart ? `${styles.start} ${styles.step}` : styles.step} nokey`}
      data-step={id}
      data-chosen={isChosen || undefined}
      data-wrong={problems > 0 || undefined}
      tabIndex={isCurrent ? 0 : -1}
      title={step?.sentence ?? data.sentence}
      aria-label={
        isFull || !step ? undefined : [nameOf(step), step.sentence, ...data.figures.map(figureText)].join(' ')
      }
      onClick={(event) => (isStart ? data.onEntry!() : data.onOpen(id, event.detail === 0))}
      onFocus={() => data.onFocus(id)}
      onKeyDown={(event) => data.onKey(event, id)}
    >
      {isStart ? startWords(data) : <StepWords step={step} figures={data.figures} />}
      {problems > 0 && <span className={styles.wrong}>{problemWords(problems)}</span>}
    </button>
  )
})

function startWords({ sentence, entered }: StepBox['data']) {
  return (
    <>
      <strong>Entry</strong>
      <span className={styles.sentence}>{sentence}</span>
      {entered !== undefined && <span className={styles.entered}>{formatCount(entered)} entered</span>}
    </>
  )
}

function StepWords({ step, figures }: { step: Step; figures: readonly Figure[] }) {
  return (
    <>
      <span className={styles.name}>
        <StepIcon kind={step.kind} />
        <span className={heardClass}>{kindWords[step.kind]}: </span>
        <strong dir="auto">{step.name}</strong>
      </span>
      <span className={styles.sentence} dir="auto">
        {step.sentence}
      </span>
      <Figures figures={figures} isDrawn />
    </>
  )
}
