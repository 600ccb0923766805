import { withLink } from '../../canvas/edit/steps.ts'
import { type Definition, stepsIn, type Way } from '../../canvas/edit/ways.ts'
import { problemAt } from '../../draft/mistakes.ts'
import { ChoiceField } from '../../ui/form.tsx'
import { AtPath } from '../flow-forms/at-path.tsx'
import { useFlowForm } from '../flow-forms/form-context.ts'

type WayFieldProps = { way: Way; label: string }

/** Where a way leads: to another step, or to the end. */
export function WayField({ way, label }: WayFieldProps) {
  const { edits, mistakes } = useFlowForm()
  const document = edits.document as Definition
  return (
    <AtPath path={way.path}>
      <ChoiceField
        label={label}
        value={way.to ?? ''}
        problem={problemAt(mistakes, way.path)}
        options={targetsOf(document, way.to)}
        onChange={(to) => edits.change((before) => withLink(before as Definition, way, to === '' ? undefined : to))}
      />
    </AtPath>
  )
}

/** Returns where a way can lead. A step that is named and missing is among them. Pure. */
export function targetsOf(document: Definition, to: string | undefined): { value: string; label: string }[] {
  const steps = stepsIn(document).map(({ id, step }) => {
    const name = typeof step.name === 'string' && step.name !== '' ? step.name : id
    return { value: id, label: name === id ? id : `${name} (${id})` }
  })
  const isMissing = to !== undefined && !steps.some(({ value }) => value === to)
  const missing = isMissing ? [{ value: to, label: `${to}, which does not exist` }] : []
  return [{ value: '', label: 'The end of the canvas' }, ...steps, ...missing]
}
