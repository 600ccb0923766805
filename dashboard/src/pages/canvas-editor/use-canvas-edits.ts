import { useMemo, useRef, useState } from 'react'
import { newStep, type StepKind } from '../../canvas/edit/new-step.ts'
import {
  lostBy,
  type Place,
  withLink,
  withMovedStep,
  withoutStep,
  withoutUnreached,
  withStep,
} from '../../canvas/edit/steps.ts'
import { type Definition, isMembers, stepById, stepsIn, waysIn } from '../../canvas/edit/ways.ts'
import type { CanvasEdits } from '../../canvas/edits.ts'
import type { Mistake } from '../../draft/mistakes.ts'
import type { Draft } from '../../draft/use-draft.ts'
import { announce } from '../../frame/toast.tsx'
import { countProblems } from './mistake-places.ts'

type Given = {
  readonly edits: Draft<Definition>
  readonly mistakes: readonly Mistake[]
  readonly readOnly: string | undefined
  readonly isEntryOpen: boolean
  /** Opens the forms of a step, or of the entry; undefined closes them. */
  readonly open: (step: string | undefined, byKey: boolean) => void
  /** What a new message begins with. Its sender is that of the last message, if there is one. */
  readonly mail: Readonly<Record<string, unknown>>
}

/** Returns what the picture and the outline do, and the question that they have asked: what to put on a way. */
export function useCanvasEdits(given: Given) {
  const [asked, ask] = useState<readonly Place[]>()
  const [focus, setFocus] = useState<{ readonly step: string }>()
  const latest = useRef(given)
  latest.current = given
  const { mistakes, isEntryOpen, edits } = given
  const problems = useMemo(() => countProblems(edits.document, mistakes), [edits.document, mistakes])
  const acts = useMemo(() => actsOn(latest, ask, (step) => setFocus({ step })), [])
  const canvas = useMemo((): CanvasEdits => {
    return { problems, isEntryOpen, focus, ...acts.canvas }
  }, [problems, isEntryOpen, focus, acts])
  return {
    canvas,
    asked,
    ...acts.dialog,
    close: () => ask(undefined),
    focusOn: (step: string) => setFocus({ step }),
  }
}

/** The same functions as long as the page is shown, so that a key does not draw everything anew. */
function actsOn(
  latest: { readonly current: Given },
  ask: (places: readonly Place[] | undefined) => void,
  focusOn: (step: string) => void,
) {
  const may = () => {
    const { readOnly } = latest.current
    if (readOnly !== undefined) announce(readOnly)
    return readOnly === undefined
  }
  const add = (place: Place, kind: StepKind) => {
    const { edits, open, mail } = latest.current
    const begun = newStep(kind)
    const step = kind === 'message' ? { ...begun, message: { ...mail, ...senderIn(edits.document) } } : begun
    const { document, id } = withStep(edits.document, place, step)
    ask(undefined)
    edits.change(() => document)
    open(id, true)
  }
  const lead = (place: Place, to: string | undefined) => {
    const { edits } = latest.current
    const next = withLink(edits.document, place, to)
    ask(undefined)
    edits.change(() => next)
    sayLost(edits.document, next)
    focusOn(place.from ?? '')
  }
  const remove = (step: string) => {
    const { edits, open } = latest.current
    if (!may() || step === '') return
    const before = edits.document
    const next = withoutStep(before, step)
    const from = waysIn(before).find(({ to }) => to === step)?.from
    edits.change(() => next)
    open(undefined, false)
    const lost = lostBy(before, next)
    const more = lost === 0 ? '' : ` No way leads to ${lost === 1 ? '1 step' : `${lost} steps`} now.`
    announce(`"${nameOf(before, step)}" was deleted.${more}`, edits.undo)
    focusOn(from !== undefined && from !== step ? from : '')
  }
  const move = (step: string, by: -1 | 1) => {
    const { edits } = latest.current
    if (!may() || step === '') return
    const next = withMovedStep(edits.document, step, by)
    if (next === edits.document)
      announce(`"${nameOf(next, step)}" cannot be moved ${by < 0 ? 'up' : 'down'} from here.`)
    else edits.change(() => next)
    focusOn(step)
  }
  return {
    canvas: {
      openEntry: () => latest.current.open('', true),
      add: (places: readonly Place[]) => may() && ask(places),
      remove,
      move,
      removeUnreached: () => may() && latest.current.edits.change(withoutUnreached),
    },
    dialog: { add, lead, remove },
  }
}

function sayLost(before: Definition, after: Definition): void {
  const lost = lostBy(before, after)
  if (lost > 0) announce(`No way leads to ${lost === 1 ? '1 step' : `${lost} steps`} now. They are below the others.`)
}

function nameOf(document: Definition, id: string): string {
  const name = stepById(document, id)?.step.name
  return typeof name === 'string' && name !== '' ? name : id
}

/** Returns the app and the sender of the last message of a canvas, with which another one begins. */
function senderIn(document: Definition): Readonly<Record<string, unknown>> {
  const mail = stepsIn(document).findLast(({ step }) => isMembers(step.message))?.step.message
  if (!isMembers(mail)) return {}
  return Object.fromEntries(Object.entries(mail).filter(([name]) => name === 'app_id' || name === 'from'))
}
