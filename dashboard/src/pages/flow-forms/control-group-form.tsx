import { NumberField } from './fields.tsx'

/** The part of the people who get nothing, so that what the flow achieves can be compared. */
export function ControlGroupForm() {
  return (
    <NumberField
      path={['control_percent']}
      label="Control group, in percent"
      hint="So many of the people get nothing. Their conversions are counted too, to compare."
      placeholder="0"
    />
  )
}
