import { useQuery } from '@tanstack/react-query'
import { getAdminApps, getAdminCohorts, getAdminHeadsSubscriptionGroups, getAdminSegments } from '../api/generated.ts'
import { reading } from '../api/queries.ts'
import { InlineSelect, InlineText, type Option } from '../ui/inline-field.tsx'
import { useEditor } from './editor-context.ts'
import type { Field, Members, ReferenceKind } from './kinds.ts'
import styles from './part.module.css'
import { withWritten } from './test-inputs.tsx'

type ReferenceInputProps = {
  label: string
  problem: string | undefined
  field: Extract<Field, { control: 'reference' }>
  members: Members
  value: string
  onChange: (value: string) => void
}

/** A thing that a condition names: chosen from a list, or written where the list cannot be read. */
export function ReferenceInput({ field, members, value, onChange, ...shared }: ReferenceInputProps) {
  const listed = useListed(field.to, members)
  if (listed === undefined || listed.length === 0) {
    const placeholder = field.any ?? field.label
    return (
      <InlineText {...shared} className={styles.name} placeholder={placeholder} value={value} onChange={onChange} />
    )
  }
  const none = { value: '', label: field.any ?? 'choose one' }
  const options = withWritten([none, ...listed], value)
  return <InlineSelect {...shared} className={styles.name} value={value} options={options} onChange={onChange} />
}

/** Returns the things that can be named; undefined while they are read, and when they cannot be. */
function useListed(to: ReferenceKind, members: Members): readonly Option[] | undefined {
  const query = { workspace: useEditor().workspace }
  const segments = useQuery({ ...reading(getAdminSegments(query)), enabled: to === 'segment' })
  const groups = useQuery({ ...reading(getAdminHeadsSubscriptionGroups(query)), enabled: to === 'subscription_group' })
  const apps = useQuery({ ...reading(getAdminApps(query)), enabled: to === 'app' })
  const cohorts = useQuery({ ...reading(getAdminCohorts(query)), enabled: to === 'cohort' || to === 'partner' })
  switch (to) {
    case 'segment':
      return segments.data?.segments.map(optionOf)
    case 'subscription_group':
      return groups.data?.subscription_groups.map(optionOf)
    case 'app':
      return apps.data?.apps.map(optionOf)
    case 'partner':
      return cohorts.data && [...new Set(cohorts.data.cohorts.map(({ partner }) => partner))].map(optionOfWord)
    case 'cohort':
      return cohorts.data?.cohorts
        .filter(({ partner }) => partner === members.partner)
        .map(({ cohort_id, name }) => optionOf({ id: cohort_id, name }))
  }
}

function optionOf({ id, name }: { readonly id: string; readonly name: string }): Option {
  return { value: id, label: name }
}

function optionOfWord(word: string): Option {
  return { value: word, label: word }
}
