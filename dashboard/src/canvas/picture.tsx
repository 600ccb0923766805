import {
  MiniMap,
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
import { type Arrangement, arrange, type Box, type Line, startKey } from './arrange.ts'
import { detailOf, extentOf, firstView, type View } from './first-view.ts'
import styles from './picture.module.css'
import { Figures, heardClass, StepIcon } from './step-parts.tsx'
import { stepAfterKey } from './walk.ts'
import {
  countTo,
  type Figure,
  figuresOf,
  figureText,
  kindWords,
  type Outline,
  type Standing,
  type Step,
} from './words.ts'

type PictureProps = {
  outline: Outline
  standing: Standing | undefined
  /** The step whose panel is open. */
  chosen: string | undefined
  onOpen: (step: string) => void
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
    readonly onOpen: (step: string) => void
    readonly onFocus: (step: string) => void
    readonly onKey: (event: KeyboardEvent, step: string) => void
  },
  'box'
>

const nodeTypes = { box: memo(DrawnBox) }
const zoomMin = 0.05
const zoomMax = 1.5
const fit = { padding: 0.08, maxZoom: 1 } as const

function Drawn({ outline, standing, chosen, onOpen }: PictureProps) {
  const picture = useMemo(() => arrange(outline), [outline])
  const first = outline.steps[0]?.id
  const [current, setCurrent] = useState({ step: chosen ?? first, takesFocus: false })
  const section = useRef<HTMLElement>(null)
  const extent = useMemo(() => extentOf(picture), [picture])
  const detail = useStore(detailOf)
  const show = useShow(picture, section)
  useEffect(() => {
    if (chosen !== undefined) show(chosen, true)
  }, [chosen, show])
  const view = useFirstView(section, picture, chosen)
  const onFocus = useCallback((step: string) => setCurrent({ step, takesFocus: false }), [])
  const onKey = useCallback(
    (event: KeyboardEvent, step: string) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const next = stepAfterKey(picture, step, event.key)
      if (next === undefined) return
      event.preventDefault()
      show(next, chosen !== undefined)
      setCurrent({ step: next, takesFocus: true })
    },
    [picture, show, chosen],
  )
  const nodes = useNodes(picture, { outline, standing, chosen, onOpen }, { current, onFocus, onKey })
  return (
    <section ref={section} className={styles.picture} aria-label="Picture" data-detail={detail}>
      {view && (
        <ReactFlow
          nodes={nodes}
          edges={noEdges}
          nodeTypes={nodeTypes}
          defaultViewport={view}
          minZoom={zoomMin}
          maxZoom={zoomMax}
          translateExtent={extent}
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
          </ViewportPortal>
          <Zoom />
          {picture.boxes.length > overviewFrom && <MiniMap pannable ariaLabel="The whole canvas, small" />}
        </ReactFlow>
      )}
    </section>
  )
}

const noEdges: never[] = []

/** From so many boxes on, a small map of the whole picture shows where one is. */
const overviewFrom = 40
/** Returns what is shown first, once the size of the picture is known. Later it is where the hand has moved it. */
function useFirstView(section: RefObject<HTMLElement | null>, { boxes }: Arrangement, chosen: string | undefined) {
  const [view, setView] = useState<View>()
  useLayoutEffect(() => {
    const { clientWidth, clientHeight: height } = section.current!
    const width = clientWidth - (chosen === undefined ? 0 : coveredOf(section.current!))
    setView((before) => before ?? firstView(boxes, { width, height }, chosen))
  }, [section, boxes, chosen])
  return view
}

type Focus = Pick<StepBox['data'], 'onFocus' | 'onKey'> & {
  readonly current: { readonly step: string | undefined; readonly takesFocus: boolean }
}

/** Returns the boxes as the library takes them. */
function useNodes(picture: Arrangement, props: PictureProps, { current, onFocus, onKey }: Focus): StepBox[] {
  const { outline, standing, chosen, onOpen } = props
  const steps = useMemo(() => new Map(outline.steps.map((step) => [step.id, step])), [outline])
  return useMemo(() => {
    // Another version may lack the step.
    const stop = current.step !== undefined && steps.has(current.step) ? current.step : outline.steps[0]?.id
    return picture.boxes.map((box): StepBox => {
      const step = box.kind === 'step' ? steps.get(box.id) : undefined
      const isCurrent = step !== undefined && step.id === stop
      return {
        ...{ id: box.key, type: 'box', position: { x: box.x, y: box.y }, width: box.width, height: box.height },
        focusable: false,
        data: {
          ...{ box, step, sentence: outline.sentence, entered: standing?.entered },
          figures: step ? figuresOf(step, standing) : [],
          ...{ isCurrent, takesFocus: isCurrent && current.takesFocus },
          isChosen: step !== undefined && step.id === chosen,
          ...{ onOpen, onFocus, onKey },
        },
      }
    })
  }, [picture, steps, outline, standing, current, chosen, onOpen, onFocus, onKey])
}

/** Returns a function that moves the picture so that a step is in it, beside the side panel when that is open. */
function useShow({ boxes }: Arrangement, section: RefObject<HTMLElement | null>) {
  const flow = useReactFlow()
  const store = useStoreApi()
  return useCallback(
    (step: string, isBeside: boolean) => {
      const box = boxes.find(({ kind, id }) => kind === 'step' && id === step)
      if (!box) return
      const { width: whole, height, transform } = store.getState()
      // The library measures itself after the first drawing.
      if (whole === 0) return
      const width = whole - (isBeside ? coveredOf(section.current!) : 0)
      const [x, y, zoom] = transform
      const left = box.x * zoom + x
      const top = box.y * zoom + y
      const isInside = left >= 0 && top >= 0 && left + box.width * zoom <= width && top + box.height * zoom <= height
      if (isInside) return
      const [middle, centre] = [box.x + box.width / 2, box.y + box.height / 2]
      void flow.setViewport({ x: width / 2 - middle * zoom, y: height / 2 - centre * zoom, zoom })
    },
    [boxes, flow, store, section],
  )
}

/** The width of the side panel. */
const panelPx = 480

/** Returns how much of a picture the side panel covers. Where it covers nearly everything, it counts as nothing. */
function coveredOf(section: HTMLElement): number {
  const { right, width } = section.getBoundingClientRect()
  const covered = Math.max(right - (window.innerWidth - panelPx), 0)
  return width - covered < panelPx / 2 ? 0 : covered
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

function nameOf({ kind, name }: Step): string {
  return `${kindWords[kind]}: ${name}`
}

function DrawnBox({ data }: NodeProps<StepBox>) {
  const { box, step, sentence, entered, isCurrent, takesFocus, isChosen } = data
  const button = useRef<HTMLButtonElement>(null)
  // What is too small to be drawn is still said.
  const isFull = useStore(detailOf) === 'all'
  useEffect(() => {
    if (takesFocus) button.current?.focus({ preventScroll: true })
  }, [takesFocus])
  if (box.kind === 'end') return <div className={styles.end}>the end</div>
  if (step === undefined) {
    return (
      <div className={styles.start} title={sentence}>
        <strong>Entry</strong>
        <span className={styles.sentence}>{sentence}</span>
        {entered !== undefined && <span className={styles.entered}>{formatCount(entered)} entered</span>}
      </div>
    )
  }
  return (
    <button
      ref={button}
      type="button"
      className={`${styles.step} nokey`}
      data-step={step.id}
      data-chosen={isChosen || undefined}
      tabIndex={isCurrent ? 0 : -1}
      title={step.sentence}
      aria-label={isFull ? undefined : [nameOf(step), step.sentence, ...data.figures.map(figureText)].join(' ')}
      onClick={() => data.onOpen(step.id)}
      onFocus={() => data.onFocus(step.id)}
      onKeyDown={(event) => data.onKey(event, step.id)}
    >
      <span className={styles.name}>
        <StepIcon kind={step.kind} />
        <span className={heardClass}>{kindWords[step.kind]}: </span>
        <strong dir="auto">{step.name}</strong>
      </span>
      <span className={styles.sentence} dir="auto">
        {step.sentence}
      </span>
      <Figures figures={data.figures} isDrawn />
    </button>
  )
}

/** The ways between the steps. They are drawn once: only their counts change. */
const Lines = memo(function Lines({
  picture,
  outline,
  standing,
}: {
  picture: Arrangement
  outline: Outline
  standing: Standing | undefined
}) {
  const boxes = useMemo(() => new Map(picture.boxes.map((box) => [box.key, box])), [picture])
  const paths = useMemo(() => new Map(outline.steps.map((step) => [step.id, step.paths])), [outline])
  return (
    <svg className={styles.lines} aria-hidden="true">
      <defs>
        <marker id="canvas-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path className={styles.tip} d="M0 0L8 4L0 8Z" />
        </marker>
      </defs>
      {picture.lines.map((line) => {
        const source = boxes.get(line.from)!
        const own = (line.from === startKey ? outline.starts : (paths.get(source.id) ?? [])) as Outline['starts']
        return (
          <g key={`${line.from} ${line.to}`}>
            <path
              className={line.isReturn ? styles.back : undefined}
              d={courseOf(line)}
              markerEnd="url(#canvas-arrow)"
            />
            <Label line={line} names={namesOf(line, own)} count={countOn(line, own, boxes, standing)} />
          </g>
        )
      })}
    </svg>
  )
})

const labelCharactersMax = 18

function Label({ line, names, count }: { line: Line; names: string; count: number | undefined }) {
  const shown = names.length > labelCharactersMax ? `${names.slice(0, labelCharactersMax - 1).trimEnd()}…` : names
  const text = [...(shown === '' ? [] : [shown]), ...(count === undefined ? [] : [formatCount(count)])].join(' ')
  return (
    <text x={line.label.x} y={line.label.y} direction="ltr">
      {names !== shown && <title>{names}</title>}
      {text}
    </text>
  )
}

function namesOf({ paths }: Line, own: Outline['starts']): string {
  return own.length < 2 ? '' : paths.map((at) => own[at]!.name).join(', ')
}

function countOn(line: Line, own: Outline['starts'], boxes: ReadonlyMap<string, Box>, standing: Standing | undefined) {
  const next = own[line.paths[0]!]?.next ?? null
  if (line.from !== startKey) return countTo(standing, boxes.get(line.from)!.id, next)
  return standing && (standing.starts[next ?? ''] ?? 0)
}

const corner = 6

/** Returns a line as a path with round corners. */
function courseOf({ points }: Line): string {
  const [first, ...rest] = points
  const parts = rest.map((point, i) => {
    const after = rest[i + 1]
    if (!after) return `L${point.x} ${point.y}`
    const before = points[i]!
    const cut = (from: { x: number; y: number }) => {
      const length = Math.hypot(point.x - from.x, point.y - from.y)
      const share = length === 0 ? 0 : Math.min(corner, length / 2) / length
      return `${point.x + (from.x - point.x) * share} ${point.y + (from.y - point.y) * share}`
    }
    return `L${cut(before)}Q${point.x} ${point.y} ${cut(after)}`
  })
  return `M${first!.x} ${first!.y}${parts.join('')}`
}
