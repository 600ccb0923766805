import { useQuery } from '@tanstack/react-query'
import { flowShapes } from '../../api/flow-shapes.ts'
import { type GetAdminCredentialsReply, getAdminCredentials } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { ChoiceField } from '../../ui/form.tsx'
import { isMembers, type Members } from './members.ts'

type Credential = Pick<GetAdminCredentialsReply['credentials'][number], 'name' | 'origins'>
type Scheme = (typeof flowShapes.credential_header.scheme.choices)[number]

const schemes: Readonly<Record<Scheme, string>> = {
  basic: 'User name and password (Basic)',
  bearer: 'Password as a token (Bearer)',
  plain: 'Password alone',
}
const schemeChoices = flowShapes.credential_header.scheme.choices.map((value) => ({ value, label: schemes[value] }))

/** The credentials of the workspace; none for an account that may not see their names. */
export function useCredentials(): readonly Credential[] {
  const { workspace, may } = useViewer()
  const read = useQuery({
    ...reading(getAdminCredentials({ workspace: workspace.id })),
    enabled: may('credentials.read'),
  })
  return read.data?.credentials ?? []
}

/** What the server takes when a header does not say how it is made of its credential. */
function presetOf(name: string): Scheme {
  return name.toLowerCase() === 'authorization' ? 'basic' : 'plain'
}

type SchemeFieldProps = { name: string; value: Members; onChange: (value: unknown) => void }

/** How a header is made of its credential. */
export function SchemeField({ name, value, onChange }: SchemeFieldProps) {
  const scheme = schemeChoices.find((one) => one.value === value.scheme)?.value ?? presetOf(name)
  return (
    <ChoiceField
      label="Value"
      options={schemeChoices}
      value={scheme}
      onChange={(next) => onChange({ ...value, scheme: next })}
    />
  )
}

type CredentialFieldProps = {
  name: string
  value: unknown
  credentials: readonly Credential[]
  problem: string | undefined
  onChange: (value: unknown) => void
}

/** The credential whose password a header has. The flow has only its name. */
export function CredentialField({ name, value, credentials, problem, onChange }: CredentialFieldProps) {
  const chosen = isMembers(value) && typeof value.credential === 'string' ? value.credential : ''
  const names = credentials.map((one) => one.name)
  if (names.length === 0 && chosen === '' && problem === undefined) return null
  const all = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  const origins = credentials.find((one) => one.name === chosen)?.origins ?? []
  const choose = (credential: string) => {
    if (credential === '') return onChange('')
    onChange({ scheme: presetOf(name), ...(isMembers(value) && value.sealed !== true && value), credential })
  }
  return (
    <ChoiceField
      label="Secret of"
      hint={origins.length === 0 ? undefined : `Its password is sent only to ${origins.join(', ')}.`}
      problem={problem}
      options={[
        { value: '', label: 'no credential' },
        ...all.map((one) => ({ value: one, label: `credential ${one}` })),
      ]}
      value={chosen}
      onChange={choose}
    />
  )
}
