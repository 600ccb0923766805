import { Plus, X } from 'lucide-react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { withInserted, withValue } from '../../draft/path.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { LineField, NumberField, OtherMembers, WordField } from './fields.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { isMembers, listAt, type Members, membersAt } from './members.ts'
import { Problem } from './rows.tsx'
import { ShareTools } from './share-tools.tsx'
import { equalShares } from './shares.ts'

/** A step where a variant can begin. */
export type FirstStep = { readonly id: string; readonly name: string }

const path = ['variants']
const variantsMax = flowShapes.canvas.variants.maxItems

/** The variants of a canvas, and where each begins; without any, a button that divides the people. */
export function VariantsForm({ steps }: { steps: readonly FirstStep[] }) {
  const { edits } = useFlowForm()
  const { value, problemBeside } = useField(path)
  const entries = listAt(edits.document, path)
  const choices = [{ value: '', label: 'Choose a step' }, ...steps.map(({ id, name }) => ({ value: id, label: name }))]
  if (value === undefined) {
    return (
      <div className={styles.form}>
        <div>
          <Button look="quiet" onClick={() => edits.change((document) => withVariants(document))}>
            <Plus size={16} aria-hidden />
            Divide the people among variants
          </Button>
        </div>
      </div>
    )
  }
  const numbered = entries.map((entry, i) => ({ entry, i }))
  const beside = Array.isArray(value) ? undefined : problemBeside([])
  return (
    <div className={styles.form}>
      {numbered.map(({ i }) => (
        <fieldset key={i} className={`${styles.group} ${styles.item}`} aria-label={`Variant ${i + 1}`}>
          <div className={styles.grid}>
            <LineField
              path={[...path, i, 'name']}
              label="Name"
              placeholder={`Variant ${i + 1}`}
              of={flowShapes.flow_variant.name}
            />
            <NumberField path={[...path, i, 'percent']} label="Percent" of={flowShapes.flow_variant.percent} />
            <WordField path={[...path, i, 'first']} label="It begins with" choices={choices} otherwise="" />
          </div>
          <OtherMembers path={[...path, i]} of="flow_variant" />
          <div className={styles.head}>
            <IconButton
              className={styles.end}
              label={`Remove variant ${i + 1}`}
              onClick={() => edits.change((document) => withoutVariant(document, i))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </fieldset>
      ))}
      <Problem text={beside} />
      <ShareTools list={path} />
      <div>
        <Button
          look="quiet"
          disabledReason={entries.length < variantsMax ? undefined : `There are at most ${variantsMax} variants.`}
          onClick={() => {
            const first = membersAt(edits.document, [...path, 0]).first
            const next = { name: `Variant ${entries.length + 1}`, percent: 0, ...(first !== undefined && { first }) }
            edits.change((document) => withInserted(document, path, entries.length, next))
          }}
        >
          <Plus size={16} aria-hidden />
          Add a variant
        </Button>
      </div>
    </div>
  )
}

/** Divides a canvas that has one beginning. Pure. */
function withVariants(document: unknown): unknown {
  const { first, ...rest } = membersAt(document, [])
  const variants = equalShares(2).map((percent, i) => ({ name: `Variant ${i + 1}`, percent, first: first ?? '' }))
  return { ...rest, variants }
}

/** Removes a variant. The last but one leaves a canvas with one beginning. Pure. */
function withoutVariant(document: unknown, i: number): unknown {
  const left = listAt(document, path).toSpliced(i, 1)
  if (left.length > 1) return withValue(document, path, left)
  const { variants, ...rest } = membersAt(document, [])
  const only: Members = isMembers(left[0]) ? left[0] : {}
  return { ...rest, ...(only.first !== undefined && { first: only.first }) }
}
