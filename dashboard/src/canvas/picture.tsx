import {
  type Node,
  type NodeProps,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useStoreApi,
  ViewportPortal,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { Maximize, Minus, Plus } from 'lucide-react'
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { IconButton } from '../ui/button.tsx'
import { formatCount } from '../words/numbers.ts'
import { AddButtons } from './add-buttons.tsx'
import { type Arrangement, arrange, type Box } from './arrange.ts'
import { type CanvasEdits, editByKey, placesOf, problemWords } from './edits.ts'
import { firstView, type View } from './first-view.ts'
import styles from './picture.module.css'
import { Lines } from './picture-lines.tsx'
import { Figures, heardClass, StepIcon } from './step-parts.tsx'
import { stepAfterKey } from './walk.ts'
import { type Figure, figuresOf, kindWords, type Outline, type Standing, type Step } from './words.ts'

type PictureProps = {
  outline: Outline
  standing: Standing | undefined
  /** The step whose panel is open. */
  chosen: string | undefined
  /** `byKey`: it was opened by a key. */
  onOpen: (step: string, byKey: boolean) => void
  /** Absent for a picture that is only looked at. */
  edits?: CanvasEdits | undefined
}

/** A canvas as a picture: its steps with their counts, and the ways between them. */
export function Picture(props: PictureProps) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  )
}

export default Picture

type StepBox = Node<
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

const nodeTypes = { box: memo(DrawnBox) }
const zoomMin = 0.05
const zoomMax = 1.5
const fit = { padding: 0.08, maxZoom: 1 } as const

function Drawn({ outline, standing, chosen, onOpen, edits }: PictureProps) {
  const picture = useMemo(() => arrange(outline), [outline])
  const first = outline.steps[0]?.id
  const [current, setCurrent] = useState({ step: chosen ?? first, takesFocus: false })
  const show = useShow(picture)
  const section = useRef<HTMLElement>(null)
  const view = useFirstView(section, picture, chosen)
  const onFocus = useCallback((step: string) => setCurrent({ step, takesFocus: false }), [])
  const latest = useRef({ outline, edits })
  latest.current = { outline, edits }
  const go = useCallback(
    (step: string) => {
      show(step)
      setCurrent({ step, takesFocus: true })
    },
    [show],
  )
  const onKey = useCallback(
    (event: KeyboardEvent, step: string) => {
      if (event.ctrlKey || event.metaKey) return
      const paths = step === '' ? outline.starts : outline.steps.find(({ id }) => id === step)?.paths
      const places = placesOf(step === '' ? undefined : step, paths ?? [])
      if (latest.current.edits && editByKey(latest.current.edits, step, event, places)) return event.preventDefault()
      const next = event.altKey ? undefined : stepAfterKey(picture, step, event.key, latest.current.edits !== undefined)
      if (next === undefined) return
      event.preventDefault()
      go(next)
    },
    [picture, outline, go],
  )
  const wish = edits?.focus
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wish is fulfilled once, whatever is drawn later.
  useEffect(() => {
    if (wish !== undefined) go(wish.step)
  }, [wish])
  // The forms beside the picture take a part of its width.
  const width = useStore((state) => state.width)
  const open = edits === undefined ? undefined : edits.isEntryOpen ? '' : chosen
  // biome-ignore lint/correctness/useExhaustiveDependencies: the picture stays where the hand has moved it.
  useEffect(() => {
    if (open !== undefined && width > 0) show(open)
  }, [open, width])
  const nodes = useNodes(picture, { outline, standing, chosen, onOpen, edits }, { current, onFocus, onKey })
  return (
    <section ref={section} className={styles.picture} aria-label="Picture">
      {view && (
        <ReactFlow
          nodes={nodes}
          edges={noEdges}
          nodeTypes={nodeTypes}
          defaultViewport={view}
          minZoom={zoomMin}
          maxZoom={zoomMax}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          panOnScroll
          zoomOnDoubleClick={false}
        >
          <ViewportPortal>
            <Lines picture={picture} outline={outline} standing={standing} />
            {edits && <AddButtons picture={picture} outline={outline} standing={standing} onAdd={edits.add} />}
          </ViewportPortal>
          <Zoom />
        </ReactFlow>
      )}
    </section>
  )
}

const noEdges: never[] = []

/** Returns what is shown first, once the size of the picture is known. Later it is where the hand has moved it. */
function useFirstView(section: RefObject<HTMLElement | null>, { boxes }: Arrangement, chosen: string | undefined) {
  const [view, setView] = useState<View>()
  useLayoutEffect(() => {
    const { clientWidth: width, clientHeight: height } = section.current!
    setView((before) => before ?? firstView(boxes, { width, height }, chosen))
  }, [section, boxes, chosen])
  return view
}

type Focus = Pick<StepBox['data'], 'onFocus' | 'onKey'> & {
  readonly current: { readonly step: string | undefined; readonly takesFocus: boolean }
}

/** Returns the boxes as the library takes them. */
function useNodes(picture: Arrangement, props: PictureProps, { current, onFocus, onKey }: Focus): StepBox[] {
  const { outline, standing, chosen, onOpen, edits } = props
  const steps = useMemo(() => new Map(outline.steps.map((step) => [step.id, step])), [outline])
  const { problems, openEntry, isEntryOpen = false } = edits ?? {}
  return useMemo(() => {
    // Another version may lack the step.
    const isThere = current.step !== undefined && (steps.has(current.step) || (current.step === '' && openEntry))
    const stop = isThere ? current.step : (outline.steps[0]?.id ?? '')
    return picture.boxes.map((box): StepBox => {
      const step = box.kind === 'step' ? steps.get(box.id) : undefined
      const isCurrent = box.kind === 'start' ? stop === '' : step !== undefined && step.id === stop
      return {
        ...{ id: box.key, type: 'box', position: { x: box.x, y: box.y }, width: box.width, height: box.height },
        focusable: false,
        data: {
          ...{ box, step, sentence: outline.sentence, entered: standing?.entered },
          figures: step ? figuresOf(step, standing) : [],
          ...{ isCurrent, takesFocus: isCurrent && current.takesFocus },
          isChosen: box.kind === 'start' ? isEntryOpen : step !== undefined && step.id === chosen,
          problems: box.kind === 'end' ? 0 : (problems?.get(box.id) ?? 0),
          ...{ onOpen, onFocus, onKey, onEntry: openEntry },
        },
      }
    })
  }, [picture, steps, outline, standing, current, chosen, problems, openEntry, isEntryOpen, onOpen, onFocus, onKey])
}

/** Returns a function that moves the picture so that a step is in it. */
function useShow({ boxes }: Arrangement): (step: string) => void {
  const flow = useReactFlow()
  const store = useStoreApi()
  return useCallback(
    (step) => {
      const box = boxes.find(({ kind, id }) => (step === '' ? kind === 'start' : kind === 'step' && id === step))
      if (!box) return
      const { width, height, transform } = store.getState()
      const [x, y, zoom] = transform
      const left = box.x * zoom + x
      const top = box.y * zoom + y
      const isInside = left >= 0 && top >= 0 && left + box.width * zoom <= width && top + box.height * zoom <= height
      if (!isInside) void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom })
    },
    [boxes, flow, store],
  )
}

function Zoom() {
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  const zoom = useStore(({ transform }) => transform[2])
  return (
    <Panel position="top-right" className={styles.zoom}>
      <IconButton
        label="Larger"
        disabledReason={zoom >= zoomMax ? 'It is as large as it can be.' : undefined}
        onClick={() => void zoomIn()}
      >
        <Plus size={16} aria-hidden />
      </IconButton>
      <IconButton
        label="Smaller"
        disabledReason={zoom <= zoomMin ? 'It is as small as it can be.' : undefined}
        onClick={() => void zoomOut()}
      >
        <Minus size={16} aria-hidden />
      </IconButton>
      <IconButton label="Show all" onClick={() => void fitView(fit)}>
        <Maximize size={16} aria-hidden />
      </IconButton>
    </Panel>
  )
}

function DrawnBox({ data }: NodeProps<StepBox>) {
  const { box, step, isCurrent, takesFocus, isChosen, problems } = data
  const button = useRef<HTMLButtonElement>(null)
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
      onClick={(event) => (isStart ? data.onEntry!() : data.onOpen(id, event.detail === 0))}
      onFocus={() => data.onFocus(id)}
      onKeyDown={(event) => data.onKey(event, id)}
    >
      {isStart ? startWords(data) : <StepWords step={step} figures={data.figures} />}
      {problems > 0 && <span className={styles.wrong}>{problemWords(problems)}</span>}
    </button>
  )
}

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
      <Figures figures={figures} />
    </>
  )
}
