import { useId, useRef, useState } from 'react'
import { callTagged } from '../../api/call.ts'
import { CallError } from '../../api/errors.ts'
import { type PostAdminApplyReply, postAdminApply } from '../../api/generated.ts'
import { parsePath } from '../../draft/path.ts'
import { readYaml, type TextMistake } from '../../draft/yaml-text.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/form.tsx'
import { PlanList } from './plan-list.tsx'
import styles from './settings.module.css'

type Planned = { readonly plan: PostAdminApplyReply; readonly tag: string | null; readonly text: string }

/** Takes the text of a workspace file, shows what it would change, and applies it. */
export default function ApplyFile() {
  const { workspace } = useViewer()
  const [text, setText] = useState('')
  const { mistakes, error, planned, isPlanning, plan, clear } = usePlan(workspace.id)
  const [done, setDone] = useState<PostAdminApplyReply>()
  const area = useRef<HTMLDivElement>(null)
  const apply = useWrite({
    request: ({ text: given, tag }: Planned) => ({ ...operationOf(given, workspace.id), ...(tag && { ifMatch: tag }) }),
    said: ({ changes }) => `The file is applied: ${changes.length === 1 ? '1 change' : `${changes.length} changes`}.`,
    onDone(reply) {
      setDone(reply)
      clear()
    },
  })
  const change = (next: string) => {
    setText(next)
    clear()
    setDone(undefined)
    apply.reset()
  }
  return (
    <>
      <p>
        What the file names is made or changed; what it leaves out stays. Look at the plan first: it lists every change.
      </p>
      <Upload onText={change} />
      <div ref={area}>
        <TextArea label="File" hint="YAML or JSON" rows={14} mono value={text} onChange={change} spellCheck={false} />
      </div>
      {mistakes.length > 0 && <MistakeList mistakes={mistakes} onGo={(mistake) => goTo(area.current, mistake)} />}
      {(error !== undefined || apply.isError) && (
        <div className={styles.refusal} role="alert">
          <Refusal error={error ?? apply.error} />
        </div>
      )}
      <div className={styles.buttons}>
        <Button
          look={planned ? 'plain' : 'main'}
          disabledReason={planReason(text, isPlanning)}
          onClick={() => {
            apply.reset()
            void plan(text)
          }}
        >
          {isPlanning ? 'Planning ...' : 'Show the plan'}
        </Button>
      </div>
      {planned && (
        <PlanList plan={planned.plan}>
          <Button
            look="main"
            disabledReason={apply.isPending ? 'The file is being applied.' : undefined}
            onClick={() => apply.mutate(planned)}
          >
            {apply.isPending ? 'Applying ...' : 'Apply'}
          </Button>
        </PlanList>
      )}
      {done && <Done reply={done} />}
    </>
  )
}

/** The plan of a text, and what is wrong with it. */
function usePlan(workspace: string) {
  const [mistakes, setMistakes] = useState<readonly TextMistake[]>([])
  const [error, setError] = useState<unknown>()
  const [planned, setPlanned] = useState<Planned>()
  const [isPlanning, setIsPlanning] = useState(false)
  const clear = () => {
    setMistakes([])
    setError(undefined)
    setPlanned(undefined)
  }
  const plan = async (text: string) => {
    clear()
    setIsPlanning(true)
    const answer = await planText(text, workspace)
    setIsPlanning(false)
    if ('mistakes' in answer) setMistakes(answer.mistakes)
    else if ('error' in answer) setError(answer.error)
    else setPlanned(answer)
  }
  return { mistakes, error, planned, isPlanning, plan, clear }
}

function operationOf(text: string, workspace: string) {
  const read = readYaml(text)
  if ('mistake' in read) throw new Error(read.mistake.message)
  const value = (read.value ?? {}) as Parameters<typeof postAdminApply>[0]
  // A file with a head says itself which workspace it is about.
  return postAdminApply(value, 'workspace' in value ? {} : { workspace })
}

type PlanAnswer = Planned | { readonly mistakes: readonly TextMistake[] } | { readonly error: unknown }

async function planText(text: string, workspace: string): Promise<PlanAnswer> {
  const read = readYaml(text)
  if ('mistake' in read) return { mistakes: [read.mistake] }
  try {
    const operation = operationOf(text, workspace)
    const path = `${operation.path}${operation.path.includes('?') ? '&' : '?'}plan=true`
    const { reply, tag } = await callTagged({ ...operation, path })
    return { plan: reply, tag, text }
  } catch (error) {
    if (!(error instanceof CallError) || error.mistakes.length === 0) return { error }
    const placed = error.mistakes.map(({ path, message }) => ({
      ...read.placeOf(parsePath(path) ?? []),
      message: `${path} ${message}`,
    }))
    return { mistakes: placed.toSorted((a, b) => a.line - b.line) }
  }
}

function planReason(text: string, isPlanning: boolean): string | undefined {
  if (isPlanning) return 'The plan is being made.'
  return text.trim() === '' ? 'Paste or choose a file first.' : undefined
}

function Upload({ onText }: { onText: (text: string) => void }) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className={styles.uploadLabel}>
        Choose a file
      </label>
      <input
        id={id}
        type="file"
        accept=".yaml,.yml,.json"
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) void file.text().then(onText)
        }}
      />
    </div>
  )
}

type MistakeListProps = { mistakes: readonly TextMistake[]; onGo: (mistake: TextMistake) => void }

function MistakeList({ mistakes, onGo }: MistakeListProps) {
  return (
    <div className={styles.refusal} role="alert">
      <strong>{mistakes.length === 1 ? 'There is a mistake' : `There are ${mistakes.length} mistakes`}</strong>
      <ul>
        {mistakes.map((mistake) => (
          <li key={`${mistake.line} ${mistake.column} ${mistake.message}`}>
            <Button look="quiet" onClick={() => onGo(mistake)}>
              Line {mistake.line}
            </Button>{' '}
            {mistake.message}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Selects the line of a mistake in the text. */
function goTo(place: HTMLDivElement | null, { line }: TextMistake): void {
  const area = place?.querySelector('textarea')
  if (!area) return
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
  area.focus()
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
}

function Done({ reply: { changes, secrets } }: { reply: PostAdminApplyReply }) {
  return (
    <div role="status">
      <p>The file is applied. {changes.length === 0 ? 'Nothing had to change.' : ''}</p>
      {secrets.length > 0 && (
        <>
          <p>These keys were made. This is the only time that they are shown.</p>
          <ul>
            {secrets.map(({ id, name, key }) => (
              <li key={id}>
                {name}: <code data-secret>{key}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
