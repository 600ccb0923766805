import assert from 'node:assert/strict'
import type { Answer as Received, RequestOptions } from './http-requests.ts'
import type { Item, NoticeEntry, People } from './people.ts'

export type ListedCohort = {
  readonly partner: string
  readonly cohort_id: string
  readonly name: string
  readonly members: number
  readonly created_at: string
  readonly updated_at: string
}

/** Sends a request of a partner with the key in the body. */
export function partnerSends(
  { service }: People,
  path: string,
  body: Item,
  key: string | null = service.apiKey,
  options: RequestOptions = {},
): Promise<Received> {
  const sent = key === null ? body : { client_secret: key, ...body }
  return service.post(`/partners/${path}`, sent, { key: null, ...options })
}

/** Creates a cohort of the partner `acme`, unless another is named. */
export async function makeCohort(people: People, cohort_id: string, name = cohort_id, partner = 'acme'): Promise<void> {
  const { status, text } = await partnerSends(people, `${partner}/cohorts`, { cohort_id, name })
  assert.equal(status, 201, text)
}

/** Changes the people of a cohort of the partner `acme`. Returns the notices. */
export async function changeCohort(
  people: People,
  cohort_id: string,
  ...cohort_changes: readonly Item[]
): Promise<readonly NoticeEntry[]> {
  const { status, text, body } = await partnerSends(people, 'acme/cohorts/users', { cohort_id, cohort_changes })
  assert.equal(status, 201, text)
  assert.equal(body.message, 'success')
  return body.notices ?? []
}

export async function listedCohorts({ service }: People, query = ''): Promise<readonly ListedCohort[]> {
  return (await service.admin('GET', `/admin/cohorts${query}`)).body.cohorts
}

/** Returns how many people are in a cohort. */
export async function membersOf(people: People, cohort_id: string): Promise<number | undefined> {
  return (await listedCohorts(people)).find((cohort) => cohort.cohort_id === cohort_id)?.members
}

/** Returns the ids of the cohorts of the person with this external_id. */
export async function cohortsOf(people: People, external_id: string): Promise<readonly string[]> {
  const { service_id } = await people.person(external_id, ['service_id'])
  const { body } = await people.service.admin('GET', `/admin/people/${service_id}`)
  return body.cohorts.map((cohort: ListedCohort) => cohort.cohort_id)
}
