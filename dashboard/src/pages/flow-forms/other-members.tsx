import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path, withValue } from '../../draft/path.ts'
import { JsonField } from '../../ui/json-field.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { AtPath } from './at-path.tsx'
import { flowFields, type ShapeName } from './flow-fields.ts'
import { useFlowForm } from './form-context.ts'
import { isMembers, membersAt, otherMembers } from './members.ts'

/** `of` is the name of the object in the interface; undefined for one that it does not have. */
type OtherMembersProps = { path: Path; of: ShapeName | undefined }

const ofUnknown = ['id', 'name', 'type', 'next']

/** Shows members that a form has no fields for as JSON. They stay as they are until they are edited there. */
export function OtherMembers({ path, of }: OtherMembersProps) {
  const known: readonly string[] = of === undefined ? ofUnknown : flowFields[of]
  const { edits, mistakes } = useFlowForm()
  const members = membersAt(edits.document, path)
  const others = otherMembers(members, known)
  const names = Object.keys(others)
  if (names.length === 0) return null
  const problems = names.flatMap((name) => {
    const problem = problemAt(mistakes, [...path, name])
    return problem === undefined ? [] : [`${name}: ${problem}`]
  })
  const write = (value: unknown) => {
    if (!isMembers(value)) return
    const kept = Object.fromEntries(Object.entries(members).filter(([name]) => known.includes(name)))
    const next = { ...kept, ...otherMembers(value, known) }
    edits.change((document) => withValue(document, path, next), `${formatPath(path)} others`)
  }
  return (
    <AtPath path={[...path, names[0]!]}>
      <JsonField
        label="What there are no fields for"
        hint="It stays as it is written."
        rows={4}
        read={parseExactly}
        value={others}
        problem={problems.length === 0 ? undefined : problems.join(' ')}
        onChange={write}
      />
    </AtPath>
  )
}
