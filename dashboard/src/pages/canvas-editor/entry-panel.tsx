import { type Definition, startsIn, stepsIn, variantsIn } from '../../canvas/edit/ways.ts'
import { AboutForm } from '../flow-forms/about-form.tsx'
import { AudienceForm } from '../flow-forms/audience-form.tsx'
import { ControlGroupForm } from '../flow-forms/control-group-form.tsx'
import { ConversionsForm } from '../flow-forms/conversions-form.tsx'
import { EntryForm } from '../flow-forms/entry-form.tsx'
import { ExitForm } from '../flow-forms/exit-form.tsx'
import { OtherMembers } from '../flow-forms/fields.tsx'
import { SendingForm } from '../flow-forms/sending-form.tsx'
import { VariantsForm } from '../flow-forms/variants-form.tsx'
import { WayField } from './way-field.tsx'

/** What holds for the whole canvas: its name, who enters and how, who leaves early, what counts as success, and how it sends. */
export function EntryForms({ document }: { document: Definition }) {
  const steps = stepsIn(document).map(({ id, step }) => {
    return { id, name: typeof step.name === 'string' && step.name !== '' ? step.name : id }
  })
  const isVaried = variantsIn(document).length > 0
  return (
    <>
      <AboutForm />
      <h3>Who enters</h3>
      <EntryForm />
      <AudienceForm path={[]} label="Who may enter" />
      <h3>Where they begin</h3>
      {!isVaried && <WayField way={startsIn(document)[0]!} label="First step" />}
      <VariantsForm steps={steps} />
      <ControlGroupForm />
      <h3>Who leaves early</h3>
      <ExitForm />
      <h3>What counts as success</h3>
      <ConversionsForm />
      <h3>How it sends</h3>
      <SendingForm />
      <OtherMembers path={[]} of="canvas" />
    </>
  )
}
