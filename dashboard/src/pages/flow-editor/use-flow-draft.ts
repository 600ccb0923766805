import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { CallError } from '../../api/errors.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import { isSame } from '../../draft/rebased.ts'
import { type Draft, type Saved, useDraft } from '../../draft/use-draft.ts'
import { announce } from '../../frame/toast.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import type { FlowRef } from '../flows/flow-words.ts'
import { type DraftReply, flowOperations, ifTag, type StoredDraft } from './operations.ts'

/** Edits are saved when nothing was changed for so long. */
const restMs = 1_200
/** How often the page asks whether another person has changed the draft. */
const everyMs = 10_000

/** What the editor begins with: the flow as it runs, if it does, and the draft that the server has. */
export type Loaded = {
  /** Undefined for a flow that is not published yet. */
  readonly published: { readonly document: Definition; readonly tag: string; readonly version: number } | undefined
  readonly stored: DraftReply
  /** What a new flow begins with. */
  readonly begin: Definition
}

/** What another person has saved while this one edited. */
export type Conflict = {
  /** Null: the draft was published or discarded. */
  readonly draft: StoredDraft | null
  readonly tag: string | null
  /** What is stored now: their draft, or what was published. */
  readonly theirs: Definition
}

export type Saving =
  | { readonly as: 'saved' | 'waiting' | 'saving' }
  | { readonly as: 'failed'; readonly error: unknown }

export type FlowDraft = {
  readonly edits: Draft<Definition>
  readonly saving: Saving
  /** Who saved the draft last, and when; null when there is no draft. */
  readonly last: StoredDraft | null
  /** The tag of the draft on the server; null when there is none. */
  readonly tag: string | null
  readonly conflict: Conflict | undefined
  /** Saves what was changed. Resolves with the tag of the draft, or undefined when it could not be saved. */
  save(): Promise<string | null | undefined>
  /** Goes on with another document on top of what the other person saved. Their document can be got back by undoing. */
  settleConflict(document: Definition): void
  /** Runs another write of this page. Until it ends nothing is saved, and what the server has is not taken for the work of others. */
  alone(write: () => Promise<unknown>): Promise<void>
  /** Removes the draft on the server. What runs stays. */
  discard(): Promise<void>
  /** Forgets the draft, because it was published. */
  finish(): void
}

/** The writes of this page: the one that is under way, and how many have ended. */
type Writes = { running: Promise<unknown> | undefined; ended: number }

type Known = { readonly saved: Saved<Definition>; readonly last: StoredDraft | null }

/** A draft that is kept on the server: saved a moment after each edit, and never over what another person has saved. */
export function useFlowDraft(flow: FlowRef, loaded: Loaded, onStale: () => void): FlowDraft {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id }
  const own = useOwnWrites(flow, loaded, onStale)
  const { edits, known, met, setConflict, settle, save, writes, base, isFinished } = own
  const alone = async (write: () => Promise<unknown>) => void (await inTurn(writes, write))
  const conflict = met && { ...met, theirs: knownOf(met, loaded).saved.document }
  useAutosave(edits, conflict !== undefined, save, own.wait)
  useOthers(flow, { writes, tag: edits.saved.tag, isOpen: conflict !== undefined }, (reply) => {
    if (isFinished.current) return
    if (edits.isChanged) {
      if (!own.meet(reply)) void save()
      return
    }
    settle(reply)
    if (reply.draft === null) onStale()
    announce(
      reply.draft
        ? `${reply.draft.author.name} changed the draft. You see it as it is now.`
        : 'The draft was published or discarded.',
    )
  })
  return {
    ...{ edits, conflict, save, alone, saving: own.saving, last: known.last, tag: known.saved.tag },
    settleConflict(document) {
      if (!conflict) return
      edits.settle(settle(conflict).saved)
      edits.change(() => conflict.theirs)
      edits.change(() => document)
      setConflict(undefined)
    },
    async discard() {
      await alone(() => call(ifTag(flowOperations[flow.kind].deleteDraft(flow.id, query), base.current.tag)))
      const next = settle({ draft: null, tag: null })
      edits.settle(next.saved)
      edits.change(() => next.saved.document)
      setConflict(undefined)
    },
    finish() {
      isFinished.current = true
      edits.forget()
    },
  }
}

/** The edits, what the server has of them, and the write that brings the one to the other. */
function useOwnWrites(flow: FlowRef, loaded: Loaded, onStale: () => void) {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id }
  const operations = flowOperations[flow.kind]
  const [known, setKnown] = useState<Known>(() => knownOf(loaded.stored, loaded))
  const edits = useDraft(`${workspace.id} ${flow.kind} ${flow.id}`, known.saved)
  const [met, setConflict] = useState<DraftReply>()
  const [saving, setSaving] = useState<Saving>({ as: 'saved' })
  const isFinished = useRef(false)
  const { current: writes } = useRef<Writes>({ running: undefined, ended: 0 })
  const latest = useRef({ edits, met, loaded })
  latest.current = { edits, met, loaded }
  // What the edits stand on. A write that follows another one at once must not wait until it is drawn.
  const base = useRef(edits.saved)
  const settle = (reply: DraftReply): Known => {
    const next = knownOf(reply, latest.current.loaded)
    setKnown(next)
    base.current = next.saved
    return next
  }
  /** Returns whether the reader must choose: another person has stored something else. */
  const meet = (reply: DraftReply): boolean => {
    const theirs = knownOf(reply, latest.current.loaded).saved.document
    const isKnown = isSame(theirs, base.current.document) || isSame(theirs, latest.current.edits.document)
    if (reply.draft && isKnown) {
      latest.current.edits.settle(settle(reply).saved)
      return false
    }
    setConflict(reply)
    // Without a draft, it was published: what runs now is another version.
    if (reply.draft === null) onStale()
    return true
  }
  const send = async (): Promise<string | null | undefined> => {
    const { document } = latest.current.edits
    const { tag } = base.current
    if (latest.current.met || isFinished.current) return undefined
    if (isSame(document, base.current.document) && tag !== null) return tag
    setSaving({ as: 'saving' })
    const body = { definition: document, base_version: latest.current.loaded.published?.version ?? null }
    try {
      const reply = await call(ifTag(operations.writeDraft(flow.id, body, query), tag))
      latest.current.edits.settle(settle({ draft: { ...reply.draft!, definition: document }, tag: reply.tag }).saved)
      setSaving({ as: 'saved' })
      return reply.tag
    } catch (error) {
      const isStale = error instanceof CallError && error.status === 412
      setSaving(isStale ? { as: 'waiting' } : { as: 'failed', error })
      return isStale && !meet(await call(operations.readDraft(flow.id, query))) ? send() : undefined
    }
  }
  const save = () => inTurn(writes, send)
  const wait = () => setSaving({ as: 'waiting' })
  return { ...{ edits, known, met, setConflict, saving, wait, settle, meet, save }, writes, base, isFinished }
}

/** Runs a write when no other one of this page is under way. Several may wait for the same one: each of them looks again. */
async function inTurn<Result>(writes: Writes, write: () => Promise<Result>): Promise<Result> {
  while (writes.running) await writes.running
  const running = write()
  writes.running = running.catch(() => {})
  try {
    return await running
  } finally {
    writes.running = undefined
    writes.ended++
  }
}

function knownOf({ draft, tag }: DraftReply, { published, begin }: Loaded): Known {
  const document = draft?.definition ?? published?.document ?? begin
  return { saved: { document, tag }, last: draft }
}

/** Saves a while after the last edit, and when the page is left. */
function useAutosave(
  edits: Draft<Definition>,
  isHeld: boolean,
  save: () => Promise<unknown>,
  onWait: () => void,
): void {
  const { document, isChanged } = edits
  const latest = useRef({ save, onWait, isChanged })
  latest.current = { save, onWait, isChanged }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time begins anew with each edit.
  useEffect(() => {
    if (!isChanged || isHeld) return
    latest.current.onWait()
    const timer = setTimeout(() => void latest.current.save(), restMs)
    return () => clearTimeout(timer)
  }, [document, isChanged, isHeld])
  useEffect(() => {
    return () => {
      if (latest.current.isChanged) void latest.current.save()
    }
  }, [])
}

type Own = {
  /** An answer to a question from before the end of the last one is too old. */
  readonly writes: Readonly<Writes>
  readonly tag: string | null
  readonly isOpen: boolean
}

/** Asks now and then whether another person has changed the draft. */
function useOthers(flow: FlowRef, { writes, tag, isOpen }: Own, onOther: (reply: DraftReply) => void): void {
  const { workspace } = useViewer()
  const operation = flowOperations[flow.kind].readDraft(flow.id, { workspace: workspace.id })
  const others = useQuery({
    queryKey: [operation.path, 'of others'],
    queryFn: async ({ signal }) => {
      const { ended } = writes
      return { reply: await call(operation, signal), ended }
    },
    refetchInterval: everyMs,
    structuralSharing: false,
    // An answer of an earlier visit is older than what this page began with.
    ...{ staleTime: 0, gcTime: 0 },
  })
  const latest = useRef(onOther)
  latest.current = onOther
  const { data } = others
  useEffect(() => {
    if (!data || data.ended !== writes.ended || writes.running !== undefined || isOpen) return
    if (data.reply.tag !== tag) latest.current(data.reply)
  }, [data, tag, isOpen, writes])
}
