import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PostAdminCanvasesIdImpactReply } from '../../api/generated.ts'
import { asking } from '../../api/queries.ts'
import { differences } from '../../canvas/edit/differences.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import { isSame } from '../../draft/rebased.ts'
import { Failure } from '../../frame/failure.tsx'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../words/numbers.ts'
import type { FlowRef } from '../flows/flow-words.ts'
import styles from './flow-editor.module.css'
import { flowOperations, publishDefinition } from './operations.ts'
import type { FlowDraft, Loaded } from './use-flow-draft.ts'

type Impact = PostAdminCanvasesIdImpactReply
type State = 'draft' | 'active' | 'paused' | 'archived'

type PublishDialogProps = {
  flow: FlowRef
  name: string
  published: Loaded['published']
  document: Definition
  /** The tag of the draft that is published. */
  tag: string
  alone: FlowDraft['alone']
  onDone: () => void
  onClose: () => void
}

/** Asks before a definition is published, with what that changes and how many people it concerns. */
export function PublishDialog({ flow, name, published, document, tag, alone, onDone, onClose }: PublishDialogProps) {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id }
  const runs = (published?.document.state ?? 'draft') as State
  const launch = useReason(flow.kind === 'canvas' ? 'canvases.launch' : 'campaigns.launch')
  const [starts, setStarts] = useState(launch === undefined)
  // What is active or paused stays so. A draft, or a flow that is new, can be started with it.
  const state: State = runs === 'draft' ? (starts ? 'active' : 'draft') : runs
  const impact = useQuery({
    ...asking(flowOperations[flow.kind].impact(flow.id, { definition: document }, query)),
    ...{ staleTime: 0, gcTime: 0, enabled: published !== undefined },
  })
  const publish = useWrite({
    request: () => {
      const body = published ? changesOf(published.document, document, state) : { ...document, id: flow.id, state }
      return publishDefinition(flow, body, { published: published?.tag ?? null, draft: tag }, query)
    },
    said: () => (state === 'active' ? `"${name}" is published, and people can enter.` : `"${name}" is published.`),
    onDone,
  })
  const isUncounted = published !== undefined && impact.data === undefined
  return (
    <FormDialog
      title={`Publish "${name}"?`}
      submit={state === 'active' && runs === 'draft' ? 'Publish and start' : 'Publish'}
      disabledReason={
        (state === 'draft' ? undefined : launch) ?? (isUncounted ? 'Its impact is not known yet.' : undefined)
      }
      isPending={publish.isPending}
      refusal={publish.isError && <Refusal error={publish.error} />}
      // An error is shown by `refusal`.
      onSubmit={() => void alone(() => publish.mutateAsync(undefined)).catch(() => {})}
      onClose={onClose}
    >
      {published === undefined && <p>It is new: this is its first version.</p>}
      {published && <Changes from={published.document} to={document} />}
      {published && impact.isPending && <p role="status">Counting the people in it ...</p>}
      {published && impact.isError && <Failure error={impact.error} onRetry={() => void impact.refetch()} />}
      {impact.data && <ImpactWords impact={impact.data} />}
      {runs === 'draft' ? (
        <StateChoice starts={starts} onChange={setStarts} launch={launch} />
      ) : (
        launch !== undefined && <p>{launch}</p>
      )}
    </FormDialog>
  )
}

type StateChoiceProps = { starts: boolean; onChange: (starts: boolean) => void; launch: string | undefined }

function StateChoice({ starts, onChange, launch }: StateChoiceProps) {
  return (
    <fieldset className={styles.choices}>
      <legend>Who enters</legend>
      <label className={styles.choice}>
        <input
          type="radio"
          name="starts"
          checked={starts}
          disabled={launch !== undefined}
          onChange={() => onChange(true)}
        />
        <span>People enter from now on: it becomes active.</span>
      </label>
      <label className={styles.choice}>
        <input type="radio" name="starts" checked={!starts} onChange={() => onChange(false)} />
        <span>Nobody enters yet: it stays a draft.</span>
      </label>
      {launch !== undefined && <p>{`It cannot be started by you. ${launch}`}</p>}
    </fieldset>
  )
}

function Changes({ from, to }: { from: Definition; to: Definition }) {
  const changes = differences(from, to)
  if (changes.length === 0) return <p>Nothing differs from what runs now.</p>
  return (
    <div>
      <p>What differs from what runs now:</p>
      <Listed texts={changes} />
    </div>
  )
}

/** The impact, as far as it says something: people whose step is gone or changed, and other rules for those who enter from now on. */
function ImpactWords({ impact: { open, version, standing, rules } }: { impact: Impact }) {
  const touched = standing.filter(({ in_new, people }) => in_new !== 'same' && people > 0)
  return (
    <>
      {open === 0 && <p>{`Nobody is in it now. People who enter from now on are on version ${version}.`}</p>}
      {open > 0 && (
        <p>
          {`In it now: ${formatCount(open)}. They finish the version that they entered. `}
          {`People who enter from now on are on version ${version}.`}
        </p>
      )}
      <Listed
        texts={touched.map(({ people, version: old, step, name, in_new }) => {
          const place = step === '' ? 'the beginning' : `"${name}"`
          const change = in_new === 'gone' ? 'is gone in the new version' : 'is another one in the new version'
          return `${formatCount(people)} on version ${old} at ${place}, which ${change}.`
        })}
      />
      <Listed texts={rules} />
    </>
  )
}

function Listed({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <ul className={styles.list}>
      {texts.map((text) => (
        <li key={text} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  )
}

/** Returns the members that differ, as a PATCH takes them: null removes one. The state is always among them when it is a draft. */
function changesOf(from: Definition, to: Definition, state: State): Definition {
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  const changes = [...names]
    .filter((name) => name !== 'id' && name !== 'state' && !isSame(from[name], to[name]))
    .map((name) => [name, to[name] ?? null] as const)
  const isStated = state === 'draft' || state !== (from.state ?? 'draft')
  return { ...Object.fromEntries(changes), ...(isStated && { state }) }
}
