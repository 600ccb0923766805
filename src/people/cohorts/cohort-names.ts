import { isCleanText } from '../values/values.ts'
import { cohortCharactersMax, partnerCharactersMax } from './schema.ts'

const partnerForm = new RegExp(`^[a-z0-9_-]{1,${partnerCharactersMax}}$`)

/** The names of a cohort: the program that puts it together, the id of that program, and what people read. */
export type Cohort = { readonly partner: string; readonly id: string; readonly name: string }

export function isPartner(value: unknown): value is string {
  return typeof value === 'string' && partnerForm.test(value)
}

/** Returns whether a value can be the id or the name of a cohort. */
export function isCohortText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= cohortCharactersMax && isCleanText(value)
}

/** Returns both parts of the key of a cohort as one text. A partner has no colon. */
export function cohortText({ partner, id }: Pick<Cohort, 'partner' | 'id'>): string {
  return `${partner}:${id}`
}
