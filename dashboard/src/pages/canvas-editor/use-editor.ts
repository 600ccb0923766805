import { useDeferredValue, useMemo, useState } from 'react'
import { drawingOf } from '../../canvas/edit/drawing.ts'
import { stepById } from '../../canvas/edit/ways.ts'
import type { Mistake } from '../../draft/mistakes.ts'
import type { Path } from '../../draft/path.ts'
import { usePageSearch } from '../../frame/search.ts'
import type { Loaded } from '../flow-editor/use-flow-draft.ts'
import { useFlowEditor } from '../flow-editor/use-flow-editor.ts'
import { stepOf } from './mistake-places.ts'
import { useCanvasEdits } from './use-canvas-edits.ts'
import { useWanted } from './use-wanted.ts'

export type CanvasEditorProps = {
  id: string
  loaded: Loaded
  /** What the mail of a first message begins with. */
  mail: Readonly<Record<string, unknown>>
  /** Called when the canvas may have been published by another person. */
  onStale: () => void
}

/** How the open entry is written in the query: no id of a step begins so. */
const entry = '.entry'

export type Editor = ReturnType<typeof useEditor>

/** What the parts of the editor of a canvas have in common. */
export function useEditor({ id, loaded, mail, onStale }: CanvasEditorProps) {
  const editor = useFlowEditor({ flow: { kind: 'canvas', id }, loaded, unnamed: 'Canvas', onStale })
  const { edits, document, check, readOnly } = editor
  const place = usePlace(document)
  const given = { edits, readOnly, mail, mistakes: check.mistakes, isEntryOpen: place.isEntryOpen, open: place.open }
  const acts = useCanvasEdits(given)
  const shown = useDeferredValue(document)
  const outline = useMemo(() => {
    return drawingOf(shown, { entry: check.outline?.sentence ?? '', steps: check.sentences, outline: check.outline })
  }, [shown, check.outline, check.sentences])
  return {
    ...{ ...editor, place, acts, outline },
    close() {
      place.show(undefined)
      acts.focusOn(place.chosen?.id ?? '')
    },
  }
}

/** What is open: a step, the entry, or nothing. The query follows it: a navigation would take longer than a key may. */
function usePlace(document: Parameters<typeof stepById>[0]) {
  const [search, change] = usePageSearch<{ step?: string | undefined; view?: string | undefined }>()
  const [opened, setOpened] = useState(search.step)
  const [takesFocus, setTakesFocus] = useState(false)
  const [wanted, setWanted] = useState<Path>()
  useWanted(wanted)
  const show = (step: string | undefined) => {
    setOpened(step)
    change({ step }, { replace: true })
  }
  const open = (step: string | undefined, byKey: boolean) => {
    setTakesFocus(byKey)
    show(step === '' ? entry : step)
  }
  return {
    ...{ show, open, takesFocus },
    view: search.view,
    chosen: stepById(document, opened),
    isEntryOpen: opened === entry,
    setView: (view: string) => change({ view: view === 'picture' ? undefined : view }, { replace: true }),
    /** Opens the forms in which a mistake is, and leads to its field. */
    goTo(mistake: Mistake) {
      open(stepOf(document, mistake), false)
      setWanted(mistake.path)
    },
  }
}
