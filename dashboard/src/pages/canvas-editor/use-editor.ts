import { useDeferredValue, useMemo, useState } from 'react'
import { drawingOf } from '../../canvas/edit/drawing.ts'
import { stepById } from '../../canvas/edit/ways.ts'
import type { Mistake } from '../../draft/mistakes.ts'
import type { Path } from '../../draft/path.ts'
import { isSame } from '../../draft/rebased.ts'
import { useReason } from '../../frame/permit.ts'
import { usePageSearch } from '../../frame/search.ts'
import { announce } from '../../frame/toast.tsx'
import { useCheck } from '../flow-editor/use-check.ts'
import { type Loaded, useFlowDraft } from '../flow-editor/use-flow-draft.ts'
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

export type OpenDialog = { readonly as: 'publish'; readonly tag: string } | { readonly as: 'dry run' | 'discard' }

/** How the open entry is written in the query: no id of a step begins so. */
const entry = '.entry'

export type Editor = ReturnType<typeof useEditor>

/** What the parts of the editor of a canvas have in common. */
export function useEditor({ id, loaded, mail, onStale }: CanvasEditorProps) {
  const flow = { kind: 'canvas', id } as const
  const readOnly = useReason('canvases.edit')
  const draft = useFlowDraft(flow, loaded, onStale)
  const { edits } = draft
  const { document } = edits
  const check = useCheck(flow, document)
  const place = usePlace(document)
  const [dialog, setDialog] = useState<OpenDialog>()
  const [showsMistakes, showMistakes] = useState(false)
  const given = { edits, readOnly, mail, mistakes: check.mistakes, isEntryOpen: place.isEntryOpen, open: place.open }
  const acts = useCanvasEdits(given)
  const shown = useDeferredValue(document)
  const outline = useMemo(() => {
    return drawingOf(shown, { entry: check.outline?.sentence ?? '', steps: check.sentences, outline: check.outline })
  }, [shown, check.outline, check.sentences])
  const name = typeof document.name === 'string' && document.name.trim() !== '' ? document.name : 'Canvas'
  const isUnchanged = loaded.published !== undefined && isSame(document, loaded.published.document)
  return {
    ...{ flow, loaded, draft, edits, document, check, place, acts, outline, name, readOnly },
    ...{ dialog, setDialog, showsMistakes, showMistakes },
    publishReason:
      readOnly ??
      (draft.conflict ? 'Another person changed the draft: choose first what to go on with.' : undefined) ??
      (check.mistakes.length > 0 ? 'There are mistakes. Mend them first.' : undefined) ??
      (isUnchanged ? 'Nothing differs from what runs.' : undefined),
    close() {
      place.show(undefined)
      acts.focusOn(place.chosen?.id ?? '')
    },
    async save() {
      if ((await draft.save()) !== undefined) announce('Saved as a draft.')
    },
    async publish() {
      const tag = await draft.save()
      if (typeof tag === 'string') setDialog({ as: 'publish', tag })
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
