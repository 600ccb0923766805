import type { Tx } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import type { TemplateVariables } from '../../content/liquid/variables.ts'
import { loadVariables, optionalVariablesIn, type VariableServices } from '../../content/rendering/variables-store.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import type { Person } from '../../people/identity/person.ts'
import { identifiersIn } from '../../people/search/search-people.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import type { GivenPreview } from './read-preview.ts'

export type PersonServices = Omit<VariableServices, 'groups'> & { parseServiceId(text: string): string | undefined }

/** The person for which texts are rendered. `person` is null for data of the request, and for the invented person. */
export type PreviewPerson = {
  readonly person: { readonly id: string; readonly name: string } | null
  /** The profile of the person. */
  readonly profile?: Person
  /** In a sentence. */
  readonly words: string
  readonly variables: TemplateVariables
}

/** The person of a preview that names none. */
const invented: TemplateVariables = {
  standard: {
    ...{ external_id: 'ada', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', gender: 'F' },
    ...{ language: 'en', country: 'GB', home_city: 'London', time_zone: 'Europe/London', dob: '1985-12-10' },
    ...{ email_subscribe: 'opted_in', push_subscribe: 'subscribed', random_bucket: 4242, total_revenue: 0 },
  },
  custom: {},
}

/** Finds the person of a preview, with the variables of the texts. Throws 404. */
export async function findPreviewPerson(
  tx: Tx,
  workspace: Workspace,
  { person: named, personal }: GivenPreview,
  texts: readonly string[],
  services: PersonServices,
): Promise<PreviewPerson> {
  if (named === undefined) {
    const variables = personal ? { standard: {}, custom: {}, ...personal } : invented
    return { person: null, words: personal ? 'the given data' : 'an invented person', variables }
  }
  const { profile, id, name, variables } = await findNamedPerson(tx, workspace, named, texts, services)
  return { person: { id, name }, profile, words: name, variables: { ...variables, ...personal } }
}

/** A person that a request names, with the variables of texts. */
export type NamedPerson = {
  readonly profile: Person
  readonly id: string
  readonly name: string
  readonly variables: TemplateVariables
}

/** Finds the person that has an id or an identifier. Throws 404. */
export async function findNamedPerson(
  tx: Tx,
  workspace: Workspace,
  named: string,
  texts: readonly string[],
  services: PersonServices,
): Promise<NamedPerson> {
  const found = await findPeople(tx, workspace.workspace_id, identifiersIn(named.trim()), services.parseServiceId, 1)
  const profile = found.flatMap(({ people }) => people)[0]
  const variables = profile && (await loadOne(tx, workspace, profile, texts, services))
  if (!profile || !variables) throw notFound('There is no person with this id or identifier')
  const id = String(variables.standard.service_id)
  return { profile, id, name: nameOf(variables.standard, id), variables }
}

async function loadOne(
  tx: Tx,
  { workspace_id, groups }: Workspace,
  one: Parameters<typeof loadVariables>[2][number],
  texts: readonly string[],
  services: PersonServices,
): Promise<TemplateVariables | undefined> {
  const variables = await loadVariables(tx, workspace_id, [one], optionalVariablesIn(texts), { ...services, groups })
  return variables.get(one.profile_id)
}

function nameOf({ first_name, last_name, external_id, email }: TemplateVariables['standard'], id: string): string {
  const full = [first_name, last_name].filter((part) => typeof part === 'string' && part.trim() !== '').join(' ')
  return full || String(email ?? external_id ?? id)
}
