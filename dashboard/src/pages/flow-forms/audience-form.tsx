import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getAdminSegments } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { AudienceEditor } from '../../audience/audience-editor.tsx'
import { examples } from '../../audience/examples.ts'
import { type Mistake, problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path, valueAt } from '../../draft/path.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import { formatCounted } from '../../words/numbers.ts'
import { type AudienceAnswers, useAudienceAnswers } from '../segments/audience-answers.ts'
import type { Audience } from '../segments/segment-draft.ts'
import styles from './flow-forms.module.css'
import { useFlowForm } from './form-context.ts'
import { isMembers, membersAt, withMember } from './members.ts'

type AudienceFormProps = {
  /** The object that has `segment` or `audience`: `[]` for the flow itself. */
  path: Path
  label?: string
  /** What holds without an audience, such as `Everybody`. */
  none?: string
  /** There is no choice of none. */
  isRequired?: boolean
}

type Look = 'none' | 'stored' | 'tree'

/** Who a flow, a step or an exit is about: everybody, the people of a stored segment, or those of conditions. */
export function AudienceForm({
  path,
  label = 'Who gets it',
  none = 'Everybody',
  isRequired = false,
}: AudienceFormProps) {
  const { edits, mistakes } = useFlowForm()
  const members = membersAt(edits.document, path)
  const member = (members.segment ?? undefined) === undefined ? 'audience' : 'segment'
  const at = [...path, member]
  const value = members[member] ?? undefined
  const look = lookOf(value)
  const choices = [
    ...(isRequired && look !== 'none' ? [] : [{ value: 'none', label: isRequired ? 'Nothing yet' : none }]),
    { value: 'stored', label: 'The people of a segment' },
    { value: 'tree', label: 'People who meet conditions' },
  ]
  const choose = (next: string) => edits.change((document) => withMember(document, at, begin(next as Look, value)))
  return (
    <div className={styles.form} data-path={formatPath(at)}>
      <ChoiceField
        label={label}
        value={look}
        options={choices}
        problem={look === 'none' ? problemAt(mistakes, at) : undefined}
        onChange={choose}
      />
      {look === 'stored' && <StoredSegment path={at} />}
      {look === 'tree' && <Conditions path={at} value={value} />}
    </div>
  )
}

function lookOf(value: unknown): Look {
  if (value === undefined) return 'none'
  return isMembers(value) && 'segment_id' in value ? 'stored' : 'tree'
}

/** Returns what another choice begins with. Conditions begin with the segment that was chosen before. */
function begin(look: Look, before: unknown): unknown {
  if (look === 'none') return undefined
  if (look === 'stored') return { segment_id: '' }
  const segment_id = isMembers(before) ? before.segment_id : undefined
  const isNamed = typeof segment_id === 'string' && segment_id !== ''
  return isNamed ? { AND: [{ segment: { segment_id } }] } : examples[0]!.audience
}

function StoredSegment({ path }: { path: Path }) {
  const { edits, mistakes } = useFlowForm()
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminSegments({ workspace: workspace.id })))
  const at = [...path, 'segment_id']
  const given = valueAt(edits.document, at)
  const written = typeof given === 'string' ? given : ''
  const segments = read.data?.segments ?? []
  const chosen = segments.find(({ id, name }) => id === written || name === written)
  const set = (next: string) => edits.set(at, next)
  const found = problemAt(mistakes, path)
  const shared = { label: 'Segment', problem: found && written === '' ? 'Choose a segment.' : found }
  if (read.isError) return <TextField {...shared} value={written} onChange={set} />
  const options = [
    ...(written === '' ? [{ value: '', label: read.isPending ? 'One moment' : 'Choose one' }] : []),
    ...segments.map(({ id, name }) => ({ value: id, label: name })),
    ...(written !== '' && !chosen ? [{ value: written, label: written }] : []),
  ]
  return (
    <>
      <ChoiceField {...shared} value={chosen?.id ?? written} options={options} onChange={set} />
      {chosen && <StoredCount id={chosen.id} />}
    </>
  )
}

function StoredCount({ id }: { id: string }) {
  const { workspace } = useViewer()
  const audience = useMemo(() => ({ segment: { segment_id: id } }) as unknown as Audience, [id])
  return <CountLine answers={useAudienceAnswers(workspace.id, audience)} />
}

function Conditions({ path, value }: { path: Path; value: unknown }) {
  const { edits, mistakes } = useFlowForm()
  const { workspace } = useViewer()
  const answers = useAudienceAnswers(workspace.id, value as Audience)
  const prefix = formatPath(path)
  const counts = useMemo(() => {
    return new Map([...answers.counts].map(([at, count]) => [at.replace(/^audience/, () => prefix), count]))
  }, [answers.counts, prefix])
  const all = useMemo(() => mergedMistakes(mistakes, answers, path), [mistakes, answers, path])
  return (
    <>
      <div className={styles.conditions}>
        <AudienceEditor
          path={path}
          workspace={workspace.id}
          edits={edits}
          mistakes={all}
          counts={counts}
          isStale={answers.isStale}
        />
      </div>
      <CountLine answers={answers} />
    </>
  )
}

/** Returns the mistakes of the flow, and those of the conditions where they are about something else. Pure. */
function mergedMistakes(mistakes: readonly Mistake[], answers: AudienceAnswers, path: Path): Mistake[] {
  const own = answers.mistakes.map((each) => ({ ...each, path: [...path, ...each.path.slice(1)] }))
  const known = new Set(mistakes.map((each) => formatPath(each.path)))
  return [...mistakes, ...own.filter((each) => !known.has(formatPath(each.path)))]
}

/** What conditions say, and how many people meet them. */
function CountLine({ answers: { check, count, isStale, isValid, reason } }: { answers: AudienceAnswers }) {
  const words = check.data?.words ?? count.data?.words
  const counted = count.data === undefined ? reason : `${formatCounted(count.data)} people now`
  return (
    <p className={styles.hint} data-stale={isStale || undefined} aria-live="polite">
      <strong>{isValid || count.data ? (counted ?? 'Counting ...') : reason}</strong>
      {words && <span dir="auto">: {words}.</span>}
    </p>
  )
}
