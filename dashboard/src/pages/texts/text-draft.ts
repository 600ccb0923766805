import { useEffect, useState } from 'react'
import type { Tagged } from '../../api/call.ts'
import { changedFields, type Texts } from './changed-fields.ts'

/** What is not saved, and the tag of what was stored when it began. Without a tag, it is on top of what is stored now. */
type Own<T> = { readonly tag?: string | null; readonly texts: Partial<T> }

export type Draft<T extends Texts> = {
  readonly texts: T
  readonly changes: Partial<T>
  readonly isChanged: boolean
  /** The tag that what is stored must still have. */
  readonly tag: string | null
  set(some: Partial<T>): void
  /** Puts the draft on top of what is stored now. */
  rebase(): void
  /** Goes back to what is stored. */
  discard(): void
}

/** Texts that are not saved yet. They are kept in the tab under `key`, so that a reload loses nothing. */
export function useDraft<T extends Texts>(key: string, { reply: stored, tag }: Tagged<T>): Draft<T> {
  const [own, setOwn] = useState<Own<T>>(() => readDraft(key))
  const changes = changedFields(stored, own.texts)
  const isChanged = Object.keys(changes).length > 0
  const kept = isChanged ? JSON.stringify({ tag: own.tag ?? tag, texts: changes }) : undefined
  useEffect(() => {
    if (kept === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, kept)
  }, [key, kept])
  return {
    ...{ changes, isChanged },
    texts: { ...stored, ...changes },
    tag: isChanged ? (own.tag ?? tag) : tag,
    set: (some) =>
      setOwn((before) => {
        const isFirst = Object.keys(changedFields(stored, before.texts)).length === 0
        return isFirst ? { tag, texts: some } : { ...before, texts: { ...before.texts, ...some } }
      }),
    rebase: () => setOwn(({ texts }) => ({ texts })),
    discard: () => setOwn({ texts: {} }),
  }
}

function readDraft<T>(key: string): Own<T> {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Own<T>>
    return { ...(kept.tag !== undefined && { tag: kept.tag }), texts: kept.texts ?? {} }
  } catch {
    // Another version of this page may have kept something else.
    return { texts: {} }
  }
}
