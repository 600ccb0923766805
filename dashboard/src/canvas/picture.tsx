import {
  MiniMap,
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
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { IconButton } from '../ui/button.tsx'
import { AddButtons } from './add-buttons.tsx'
import { type Arrangement, arrange } from './arrange.ts'
import { type CanvasEdits, editByKey, placesOf } from './edits.ts'
import { detailOf, extentOf, firstView, type View, wholeView } from './first-view.ts'
import styles from './picture.module.css'
import { DrawnBox, type StepBox } from './picture-box.tsx'
import { Lines } from './picture-lines.tsx'
import { stepAfterKey } from './walk.ts'
import { figuresOf, type Outline, type Standing } from './words.ts'

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

const nodeTypes = { box: DrawnBox }
const zoomMin = 0.05
const zoomMax = 1.5

function Drawn({ outline, standing, chosen, onOpen, edits }: PictureProps) {
  const picture = usePicture(outline)
  const section = useRef<HTMLElement>(null)
  const extent = useMemo(() => extentOf(picture), [picture])
  const detail = useStore(detailOf)
  const show = useShow(picture, section)
  const view = useFirstView(section, picture, chosen)
  const { current, onFocus, onKey } = useFocus(picture, show, { outline, chosen, edits })
  const nodes = useNodes(picture, { outline, standing, chosen, onOpen, edits }, { current, onFocus, onKey })
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
            {edits && <AddButtons picture={picture} outline={outline} standing={standing} onAdd={edits.add} />}
          </ViewportPortal>
          <Zoom picture={picture} />
          {picture.boxes.length > overviewFrom && <MiniMap pannable ariaLabel="The whole canvas, small" />}
        </ReactFlow>
      )}
    </section>
  )
}

/** Returns where the boxes and lines are. Most edits change words, so the arrangement stays the same one until a way changes. */
function usePicture(outline: Outline): Arrangement {
  const { starts, steps } = outline
  const ways = JSON.stringify([starts.map(wayOf), steps.map(({ id, paths }) => [id, paths.map(wayOf)])])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ways` has all of the outline that is arranged.
  return useMemo(() => arrange(outline), [ways])
}

/** Which step Tab reaches, and what keys do there: they lead to other steps, and edit the one that has the focus. */
function useFocus(
  picture: Arrangement,
  show: (step: string, isBeside: boolean) => void,
  { outline, chosen, edits }: Pick<PictureProps, 'outline' | 'chosen' | 'edits'>,
): Focus {
  const [current, setCurrent] = useState({ step: chosen ?? outline.steps[0]?.id, takesFocus: false })
  const onFocus = useCallback((step: string) => setCurrent({ step, takesFocus: false }), [])
  const latest = useRef(edits)
  latest.current = edits
  const open = edits?.isEntryOpen ? '' : chosen
  // The forms beside the picture take a part of its width.
  const width = useStore((state) => state.width)
  // A step that was just added is drawn a moment later. No other change of the canvas moves the picture under the hand.
  const isDrawn = open !== undefined && boxOf(picture, open) !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` is another function after each change.
  useEffect(() => {
    if (isDrawn && width > 0) show(open, true)
  }, [open, width, isDrawn])
  const isBeside = open !== undefined
  const go = useCallback(
    (step: string) => {
      show(step, isBeside)
      setCurrent({ step, takesFocus: true })
    },
    [show, isBeside],
  )
  const onKey = useCallback(
    (event: KeyboardEvent, step: string) => {
      if (event.ctrlKey || event.metaKey) return
      const paths = step === '' ? outline.starts : outline.steps.find(({ id }) => id === step)?.paths
      const places = placesOf(step === '' ? undefined : step, paths ?? [])
      if (latest.current && editByKey(latest.current, step, event, places)) return event.preventDefault()
      const next = event.altKey ? undefined : stepAfterKey(picture, step, event.key, latest.current !== undefined)
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
  return { current, onFocus, onKey }
}

const wayOf = ({ next }: Outline['starts'][number]) => next
const noEdges: never[] = []
// A box has its size from the beginning and nothing to fasten a line to. Otherwise the library draws every box once to measure it.
const noHandles: never[] = []

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
  const { outline, standing, chosen, onOpen, edits } = props
  const steps = useMemo(() => new Map(outline.steps.map((step) => [step.id, step])), [outline])
  const { problems, openEntry, isEntryOpen = false } = edits ?? {}
  return useMemo(() => {
    // Another version may lack the step, and a step that was just added is drawn a moment later: then it takes the focus.
    const isThere =
      current.step !== undefined && (steps.has(current.step) || (current.step === '' && openEntry !== undefined))
    const stop = isThere ? current.step : (outline.steps[0]?.id ?? '')
    return picture.boxes.map((box): StepBox => {
      const step = box.kind === 'step' ? steps.get(box.id) : undefined
      const isCurrent = box.kind === 'start' ? stop === '' : step !== undefined && step.id === stop
      return {
        ...{ id: box.key, type: 'box', position: { x: box.x, y: box.y }, width: box.width, height: box.height },
        ...{ measured: { width: box.width, height: box.height }, handles: noHandles, focusable: false },
        data: {
          ...{ box, step, sentence: outline.sentence, entered: standing?.entered },
          figures: step ? figuresOf(step, standing) : [],
          ...{ isCurrent, takesFocus: isCurrent && isThere && current.takesFocus },
          isChosen: box.kind === 'start' ? isEntryOpen : step !== undefined && step.id === chosen,
          problems: box.kind === 'end' ? 0 : (problems?.get(box.id) ?? 0),
          ...{ onOpen, onFocus, onKey, onEntry: openEntry },
        },
      }
    })
  }, [picture, steps, outline, standing, current, chosen, problems, openEntry, isEntryOpen, onOpen, onFocus, onKey])
}

/** Returns a function that moves the picture so that a step is in it, beside the side panel when that is open. */
function useShow(picture: Arrangement, section: RefObject<HTMLElement | null>) {
  const flow = useReactFlow()
  const store = useStoreApi()
  return useCallback(
    (step: string, isBeside: boolean) => {
      const box = boxOf(picture, step)
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
    [picture, flow, store, section],
  )
}

/** Returns the box of a step; the entry is the step without an id. */
function boxOf({ boxes }: Arrangement, step: string): Arrangement['boxes'][number] | undefined {
  return boxes.find(({ kind, id }) => (step === '' ? kind === 'start' : kind === 'step' && id === step))
}

/** The width of the side panel. */
const panelPx = 480

/** Returns how much of a picture the side panel covers. Where it covers nearly everything, it counts as nothing. */
function coveredOf(section: HTMLElement): number {
  const { right, width } = section.getBoundingClientRect()
  const covered = Math.max(right - (window.innerWidth - panelPx), 0)
  return width - covered < panelPx / 2 ? 0 : covered
}

function Zoom({ picture: { boxes } }: { picture: Arrangement }) {
  const { zoomIn, zoomOut, setViewport } = useReactFlow()
  const store = useStoreApi()
  // The library would wait until it has measured every box, and what is out of view is not drawn.
  const showAll = () => void setViewport(wholeView(boxes, store.getState()))
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
      <IconButton label="Show all" onClick={showAll}>
        <Maximize size={16} aria-hidden />
      </IconButton>
    </Panel>
  )
}
