import { flowShapes } from '../../api/flow-shapes.ts'
import { NumberField } from './fields.tsx'

/** The part of the people who get nothing. */
export function ControlGroupForm() {
  return (
    <NumberField
      path={['control_percent']}
      of={flowShapes.canvas.control_percent}
      label="Control group, in percent"
      hint="This part of the people gets nothing. Conversions are counted without them."
      placeholder="0"
    />
  )
}
