import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { CallError } from '../../api/errors.ts'
import type { Operation } from '../../api/operation.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { Texts } from './changed-fields.ts'
import type { Draft } from './text-draft.ts'
import styles from './texts.module.css'

type SaveBarProps<T extends Texts> = {
  draft: Draft<T>
  /** The ability that saving takes. */
  ability: string
  /** The request that saves these fields. */
  request: (changes: Partial<T>, tag: string | null) => Operation<unknown>
  children?: ReactNode
}

/** Saves texts, with Ctrl S too, and warns before the page is left without saving. */
export function SaveBar<T extends Texts>({ draft, ability, request, children }: SaveBarProps<T>) {
  const reason = useReason(ability)
  const save = useWrite({
    request: ({ isForced }: { isForced: boolean }) => request(draft.changes, isForced ? null : draft.tag),
    said: () => 'Saved.',
    onDone: draft.rebase,
  })
  const disabledReason = reason ?? (draft.isChanged ? undefined : 'Nothing has changed.')
  const send = (isForced = false) => {
    if (disabledReason === undefined && !save.isPending) save.mutate({ isForced })
  }
  useSaveKey(() => send())
  const isStale = save.error instanceof CallError && save.error.status === 412
  return (
    <>
      <div className={styles.bar}>
        <Button look="main" disabledReason={disabledReason} onClick={() => send()}>
          {save.isPending ? 'Saving ...' : 'Save'}
        </Button>
        {draft.isChanged && <Button onClick={draft.discard}>Discard changes</Button>}
        <span className={styles.soft} role="status">
          {draft.isChanged ? 'Not saved yet. It is kept in this tab.' : 'Saved.'}
        </span>
        <div className={`${styles.bar} ${styles.end}`}>{children}</div>
      </div>
      {save.isError && (
        <div className={styles.refusal} role="alert">
          <Refusal error={save.error} />
          {isStale && (
            <div className={styles.bar}>
              <Button onClick={() => send(true)}>Save mine over it</Button>
              <Button
                onClick={() => {
                  draft.discard()
                  save.reset()
                }}
              >
                Take what is stored
              </Button>
            </div>
          )}
        </div>
      )}
      <LeaveWarning isChanged={draft.isChanged && !save.isPending} />
    </>
  )
}

function useSaveKey(save: () => void): void {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

/** Asks before the page is left with changes that are not saved. */
function LeaveWarning({ isChanged }: { isChanged: boolean }) {
  const leave = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (leave.status !== 'blocked') return null
  return (
    <FormDialog title="Leave without saving?" submit="Leave" onSubmit={leave.proceed} onClose={leave.reset}>
      <p>Your changes are kept in this tab until you close it.</p>
    </FormDialog>
  )
}
