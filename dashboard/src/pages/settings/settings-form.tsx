import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError } from '../../api/errors.ts'
import { getAdminAudit, getAdminSettings, patchAdminSettings } from '../../api/generated.ts'
import { reading, readingTagged } from '../../api/queries.ts'
import { readMistakes } from '../../draft/mistakes.ts'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { UnsavedGuard } from '../../frame/unsaved.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { type Change, SettingField } from './setting-field.tsx'
import { settingsOf } from './setting-words.ts'
import styles from './settings.module.css'

/** Changes that are read to say who changed a setting last. */
const changesRead = 200

type Values = Readonly<Record<string, unknown>>

/** The settings of a page, each in a field of its own. What is changed is sent together, and only that. */
export function SettingsForm({ page }: { page: string }) {
  const { workspace } = useViewer()
  const operation = getAdminSettings({ workspace: workspace.id })
  const read = useQuery(readingTagged(operation, JSON.parse))
  useFeed(operation)
  const latest = useLatestChanges()
  /** What the reader has changed; undefined takes a setting back to its default. */
  const [changed, setChanged] = useState<Values>({})
  /** What was stored when the reader changed it first. */
  const [before, setBefore] = useState<Values>({})
  const reason = useReason('settings.edit')
  const save = useWrite({
    request: () => ({
      ...patchAdminSettings(bodyOf(changed), { workspace: workspace.id }),
      ...(read.data?.tag && { ifMatch: read.data.tag }),
    }),
    said: () => 'The settings are saved.',
    onDone: discard,
  })
  if (read.data === undefined) return <NoAnswer read={read} what="settings" />
  const { set } = read.data.reply as { set: Values }
  const names = Object.keys(changed)
  const mistakes = save.error instanceof CallError ? readMistakes(save.error.mistakes) : []
  const change = (name: string, value: unknown) => {
    if (!(name in changed)) setBefore({ ...before, [name]: set[name] })
    if (isSame(value, set[name])) return setChanged(without(changed, name))
    setChanged({ ...changed, [name]: value })
  }
  function discard() {
    setChanged({})
    setBefore({})
    save.reset()
  }
  return (
    <form
      className={styles.settings}
      onSubmit={(event) => {
        event.preventDefault()
        if (names.length > 0 && reason === undefined) {
          save.mutate(undefined, { onError: (error) => void (isConflict(error) && read.refetch()) })
        }
      }}
    >
      {reason !== undefined && <p role="note">{`You may read these settings, and not change them. ${reason}`}</p>}
      <fieldset className={styles.fields} disabled={reason !== undefined}>
        {[...settingsOf(page)].map(([group, settings]) => (
          <section key={group} className={styles.group} aria-label={group}>
            <h2>{group}</h2>
            {settings.map((setting) => (
              <SettingField
                key={setting.name}
                setting={setting}
                value={setting.name in changed ? changed[setting.name] : set[setting.name]}
                isChanged={setting.name in changed}
                changedMeanwhile={setting.name in changed && !isSame(before[setting.name], set[setting.name])}
                stored={set[setting.name]}
                latest={latest.get(setting.name)}
                mistakes={mistakes}
                onChange={(value) => change(setting.name, value)}
              />
            ))}
          </section>
        ))}
      </fieldset>
      <UnsavedGuard isChanged={names.length > 0} />
      <SaveBar count={names.length} reason={reason} isSaving={save.isPending} error={save.error} onDiscard={discard} />
    </form>
  )
}

type SaveBarProps = {
  count: number
  /** Why the viewer may not save. */
  reason: string | undefined
  isSaving: boolean
  error: unknown
  onDiscard: () => void
}

function SaveBar({ count, reason, isSaving, error, onDiscard }: SaveBarProps) {
  const nothing = count === 0 ? 'Nothing is changed.' : undefined
  return (
    <section className={styles.bar} aria-label="Save">
      {error !== null && (
        <div className={styles.refusal} role="alert">
          {isConflict(error) ? (
            <p>
              Somebody changed the settings since you read them. What they wrote is shown now; your changes are still
              here, and nothing is lost. Save again to store them.
            </p>
          ) : (
            <Refusal error={error} />
          )}
        </div>
      )}
      <span aria-live="polite">{changedWords(count)}</span>
      <Button disabledReason={nothing} onClick={onDiscard}>
        Discard
      </Button>
      <Button type="submit" look="main" disabledReason={reason ?? nothing}>
        {isSaving ? 'Saving ...' : 'Save'}
      </Button>
    </section>
  )
}

/** Returns the last change of each setting, as far as the viewer may read it. */
function useLatestChanges(): ReadonlyMap<string, Change> {
  const { workspace, may } = useViewer()
  const query = getAdminAudit({ workspace: workspace.id, target: 'setting', limit: changesRead })
  const audit = useQuery({ ...reading(query), enabled: may('audit.read') })
  // The newest comes first, and the last one of the same name stays.
  return new Map((audit.data?.audit ?? []).toReversed().map((change) => [change.target.id, change]))
}

function bodyOf(changed: Values) {
  return Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value ?? null])) as never
}

function changedWords(count: number): string {
  if (count === 0) return 'Nothing is changed.'
  return count === 1 ? '1 setting is changed.' : `${count} settings are changed.`
}

function isConflict(error: unknown): boolean {
  return error instanceof CallError && error.status === 412
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function without(values: Values, name: string): Values {
  const { [name]: _, ...others } = values
  return others
}
