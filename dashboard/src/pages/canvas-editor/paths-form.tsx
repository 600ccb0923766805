import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { newPath } from '../../canvas/edit/new-step.ts'
import { freePathName, pathsMax, withMovedPath, withoutPath, withPath } from '../../canvas/edit/steps.ts'
import { type Definition, listAt, type PlacedStep, waysFrom } from '../../canvas/edit/ways.ts'
import { problemBeside } from '../../draft/mistakes.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { AudienceForm } from '../flow-forms/audience-form.tsx'
import { LineField, NumberField } from '../flow-forms/fields.tsx'
import { flowFields } from '../flow-forms/flow-fields.ts'
import { useFlowForm } from '../flow-forms/form-context.ts'
import { Problem } from '../flow-forms/rows.tsx'
import { ShareTools } from '../flow-forms/share-tools.tsx'
import { TriggerForm } from '../flow-forms/trigger-form.tsx'
import styles from './editor.module.css'
import { WayField } from './way-field.tsx'

type Change = (by: (document: Definition) => Definition) => void

/** The paths of a step, in the order in which they are tried. */
export function PathsForm({ placed }: { placed: PlacedStep }) {
  const { edits, mistakes } = useFlowForm()
  const { id, step, path } = placed
  const paths = listAt(step, ['paths'])
  const at = [...path, 'paths']
  const change: Change = (by) => edits.change((document) => by(document as Definition))
  const own = problemBeside(
    mistakes,
    at,
    paths.map((_, i) => [...at, i]),
  )
  return (
    <div className={styles.paths}>
      <h3>Paths</h3>
      <Problem text={step.type === 'experiment' ? undefined : own} />
      {step.type === 'experiment' && <ShareTools list={at} />}
      {paths.map((given, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: paths have no other name that stays.
        <OnePath key={i} placed={placed} index={i} of={paths.length} given={given} change={change} />
      ))}
      <Button
        disabledReason={paths.length >= pathsMax ? `A step has at most ${pathsMax} paths.` : undefined}
        onClick={() => change((document) => withPath(document, id, newPath(step.type, freePathName(step))))}
      >
        Add a path
      </Button>
    </div>
  )
}

type OnePathProps = { placed: PlacedStep; index: number; of: number; given: unknown; change: Change }

function OnePath({ placed, index, of, given, change }: OnePathProps) {
  const { edits, mistakes } = useFlowForm()
  const { id, step, path } = placed
  const at = [...path, 'paths', index]
  const way = waysFrom(placed).find((each) => each.path[path.length + 1] === index)
  const move = (to: number) => change((document) => withMovedPath(document, id, index, to))
  const name = way?.name ?? `Path ${index + 1}`
  const parts = [...flowFields.condition_path, ...flowFields.experiment_path, ...flowFields.action_path]
  const own = problemBeside(
    mistakes,
    at,
    parts.map((part) => [...at, part]),
  )
  if (way === undefined) {
    return (
      <JsonField
        label={`Path ${index + 1} as JSON`}
        rows={4}
        read={parseExactly}
        value={given}
        problem={own}
        onChange={(value) => edits.set(at, value)}
      />
    )
  }
  return (
    <fieldset className={styles.path} aria-label={`Path ${name}`}>
      <div className={styles.line}>
        <LineField
          path={[...at, 'name']}
          label="Name of the path"
          placeholder={name}
          of={flowShapes.condition_path.name}
        />
        <IconButton
          label={`Move ${name} up`}
          disabledReason={index === 0 ? 'It is the first path.' : undefined}
          onClick={() => move(index - 1)}
        >
          <ArrowUp size={16} aria-hidden />
        </IconButton>
        <IconButton
          label={`Move ${name} down`}
          disabledReason={index === of - 1 ? 'It is the last path.' : undefined}
          onClick={() => move(index + 1)}
        >
          <ArrowDown size={16} aria-hidden />
        </IconButton>
        <IconButton label={`Delete ${name}`} onClick={() => change((document) => withoutPath(document, id, index))}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </div>
      {step.type === 'paths' && <AudienceForm path={at} label="Who takes it" isRequired />}
      {step.type === 'action_paths' && <TriggerForm path={at} allows="next" />}
      {step.type === 'experiment' && (
        <NumberField path={[...at, 'percent']} label="Percent of the people" of={flowShapes.experiment_path.percent} />
      )}
      <Problem text={step.type === 'action_paths' ? undefined : own} />
      <WayField way={way} label="Leads to" />
    </fieldset>
  )
}
