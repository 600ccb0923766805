import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { useDraftKeys } from '../../draft/keys.ts'
import { isSame } from '../../draft/rebased.ts'
import { useReason } from '../../frame/permit.ts'
import { announce } from '../../frame/toast.tsx'
import type { FlowRef } from '../flows/flow-words.ts'
import { type Check, useCheck } from './use-check.ts'
import { type FlowDraft, type Loaded, useFlowDraft } from './use-flow-draft.ts'

export type OpenDialog = { readonly as: 'publish'; readonly tag: string } | { readonly as: 'dry run' | 'discard' }

export type FlowEditor = ReturnType<typeof useFlowEditor>

type FlowEditorOptions = {
  flow: FlowRef
  loaded: Loaded
  /** What a flow without a name is called. */
  unnamed: string
  /** Called when the flow may have been published by another person. */
  onStale: () => void
}

/** What the editors of canvases and of campaigns have in common: the draft, what the server says about it, and what is open. */
export function useFlowEditor({ flow, loaded, unnamed, onStale }: FlowEditorOptions) {
  const readOnly = useReason(flow.kind === 'canvas' ? 'canvases.edit' : 'campaigns.edit')
  const draft = useFlowDraft(flow, loaded, onStale)
  const { edits } = draft
  const { document } = edits
  const check = useCheck(flow, document)
  const [dialog, setDialog] = useState<OpenDialog>()
  const [showsMistakes, showMistakes] = useState(false)
  const save = async () => {
    if ((await draft.save()) !== undefined) announce('Saved as a draft.')
  }
  const publish = async () => {
    const tag = await draft.save()
    if (typeof tag === 'string') setDialog({ as: 'publish', tag })
  }
  useDraftKeys({ undo: edits.undo, redo: edits.redo, save: () => void save() })
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: edits.isChanged })
  return {
    ...{ flow, loaded, draft, edits, document, check, readOnly, publish },
    ...{ dialog, setDialog, showsMistakes, showMistakes },
    name: typeof document.name === 'string' && document.name.trim() !== '' ? document.name : unnamed,
    publishReason: readOnly ?? publishReason(draft, check, loaded),
  }
}

function publishReason(draft: FlowDraft, check: Check, { published }: Loaded): string | undefined {
  if (draft.conflict) return 'Another person changed the draft: choose first what to go on with.'
  if (check.mistakes.length > 0) return 'There are mistakes. Mend them first.'
  const isUnchanged = published !== undefined && isSame(draft.edits.document, published.document)
  return isUnchanged ? 'Nothing differs from what runs.' : undefined
}
