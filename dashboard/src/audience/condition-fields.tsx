import { problemAt } from '../draft/mistakes.ts'
import { formatPath, type Path, withValue } from '../draft/path.ts'
import { InlineSelect } from '../ui/inline-field.tsx'
import { comparedBy, nodeOf, withComparison, withMember } from './conditions.ts'
import { useEditor } from './editor-context.ts'
import { FieldInput } from './field-input.tsx'
import { type Kind, kinds, type Members } from './kinds.ts'
import styles from './part.module.css'
import { TestInputs } from './test-inputs.tsx'

const groups = [...Map.groupBy(kinds, ({ group }) => group)].map(([label, found]) => ({
  label,
  options: found.map((kind) => ({ value: kind.name, label: kind.label })),
}))

type ConditionFieldsProps = { path: Path; kind: Kind; members: Members }

/** One condition as a line of fields: its kind, what it names, how it compares, and with what. */
export function ConditionFields({ path, kind, members }: ConditionFieldsProps) {
  const { edits, mistakes } = useEditor()
  const at = [...path, kind.name]
  const write = (next: Members, member: string) => {
    edits.change((document) => withValue(document, path, nodeOf(kind, next)), formatPath([...at, member]))
  }
  const setMember = (member: string, value: unknown) => write(withMember(kind, members, member, value), member)
  const compared = comparedBy(kind, members)
  const field = (each: Kind['before'][number]) => (
    <FieldInput
      key={each.member}
      field={each}
      members={members}
      path={[...at, each.member]}
      onChange={(value) => setMember(each.member, value)}
    />
  )
  return (
    <>
      <InlineSelect
        label="Kind of condition"
        className={styles.kind}
        value={kind.name}
        groups={groups}
        onChange={(name) => {
          const next = kinds.find((each) => each.name === name)!
          edits.change((document) => withValue(document, path, nodeOf(next, next.begin)), `${formatPath(path)} kind`)
        }}
      />
      {kind.before.map(field)}
      <TestInputs
        test={kind.test}
        compared={compared}
        members={members}
        problems={{
          comparison: problemAt(mistakes, [...at, 'comparison']),
          value: problemAt(mistakes, [...at, 'value']),
        }}
        {...(kind.name === 'custom_attribute' && {
          suggest: { kind: 'attribute' as const, name: String(members.custom_attribute_name) },
        })}
        onComparison={(comparison) => {
          write(
            compared === undefined ? { ...members, comparison } : withComparison(compared, members, comparison),
            'comparison',
          )
        }}
        onValue={(value) => setMember('value', value)}
      />
      {kind.after.map(field)}
    </>
  )
}
