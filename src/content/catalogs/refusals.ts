import { Failure, invalid } from '../../base/errors.ts'

const invalidRequest = 'Invalid Request'
const echoCharactersMax = 250

/** Ids and messages of refusals. They are those of the interface where it has one (contract 4.9.1-4.9.3). */
const messages = {
  'catalog-not-found': 'Could not find catalog',
  'item-not-found': 'Could not find item',
  'field-not-found': 'Could not find field',
  'selection-not-found': 'Could not find selection',
  'arbitrary-error': 'An arbitrary error occurred',

  'item-already-exists': 'The item already exists',
  'id-in-body': 'The item id must not be in the body',
  'ids-too-large': 'Item ids can not be larger than 250 characters',
  'invalid-ids': 'Item ids can only contain letters, numbers, hyphens, and underscores',
  'ids-not-strings': 'Item ids must be strings',
  'ids-not-string': 'Item ids must be strings',
  'ids-not-unique': 'Item ids must be unique within the request',
  'invalid-fields': 'Some of the fields given do not exist in the catalog',
  'invalid-keys-in-value-object': "Keys of objects can not contain '.' or '$'",
  'item-array-invalid': "'items' must be an array of objects",
  'items-too-large': 'The values of an item can not exceed 5000 characters',
  'request-includes-too-many-items': 'The request includes too many items',
  'too-deep-nesting-in-value-object': 'Objects can not have more than 50 levels of nesting',
  'unable-to-coerce-value': 'Some of the values given do not fit the types of their fields',
  'filtered-set-field-too-long': 'A field that a selection uses can not exceed 1000 characters',
  'already-reached-catalog-item-limit': 'The catalog has as many items as it can have',
  'invalid-cursor': "'cursor' is not valid",

  'catalog-array-invalid': "'catalogs' must be an array of objects",
  'too-many-catalog-atoms': 'Only one catalog can be created with a request',
  'catalog-name-already-exists': 'A catalog with that name already exists',
  'catalog-name-too-large': 'Catalog names can not be larger than 250 characters',
  'description-too-long': 'Descriptions can not be larger than 250 characters',
  'invalid-catalog-name': 'Catalog names can only contain letters, numbers, hyphens, and underscores',
  'field-names-not-unique': 'Field names must be unique',
  'field-names-too-large': 'Field names can not be larger than 250 characters',
  'invalid-field-names': 'Field names can only contain letters, numbers, hyphens, and underscores',
  'invalid-field-types': 'Field types must be string, number, boolean, time, object, array, or geo',
  'id-not-first-column': "The first field must be 'id' and its type string",
  'too-many-fields': 'A catalog can not have more than 500 fields',
  'company-size-limit-already-reached': 'The workspace has as many catalogs as it can have',
  'request-includes-too-many-fields': 'The request includes too many fields',
  'catalog-exceeds-fields-limit': 'A catalog can not have more than 500 fields',

  'selection-limit-reached': 'The catalog has as many selections as it can have',
  'invalid-selection': "'selection' must be an object with a valid name, description, and filters",
  'too-many-filters': 'A selection can not have more than 10 filters',
  'selection-name-already-exists': 'A selection with that name already exists',
  'selection-has-invalid-filter': 'A filter of the selection is not valid',
  'selection-invalid-results-limit': "'results_limit' must be an integer from 1 to 50",
  'invalid-sorting': "'sort_field' and 'sort_order' must be given together",
  'invalid-sort-field': "'sort_field' must be a field of the catalog that has an order",
  'invalid-sort-order': "'sort_order' must be 'asc' or 'desc'",
  'selection-contains-too-many-arrays': 'A selection can filter by one array field only',
} as const

export type RefusalId = keyof typeof messages

/** One entry of `errors`. `parameters` has the names of the wrong parameters, `parameter_values` their values. */
export type Refusal = {
  readonly id: RefusalId
  readonly message: string
  readonly parameters: readonly string[]
  readonly parameter_values: readonly unknown[]
}

export function refusal(id: RefusalId, about: Readonly<Record<string, unknown>> = {}, message?: string): Refusal {
  const values = Object.values(about).map(toEcho)
  return { id, message: message ?? messages[id], parameters: Object.keys(about), parameter_values: values }
}

/** Returns the sentence of a refusal. */
export function refusalSentence(id: RefusalId): string {
  return messages[id]
}

/** Returns the refusal `There are 2 item(s) that do not have ids`. */
export function missingIds(count: number) {
  return {
    id: 'items-missing-ids',
    message: `There are ${count} item(s) that do not have ids`,
    ...noParameters,
  } as const
}

const noParameters = { parameters: [], parameter_values: [] } as const

type AnyRefusal = Refusal | ReturnType<typeof missingIds>

/** Returns the 400 with all refusals. */
export function refuse(errors: readonly AnyRefusal[]): Failure {
  return invalid(invalidRequest, errors)
}

/** Returns the 404 in the same format. */
export function notFoundRefusal(id: RefusalId, about: Readonly<Record<string, unknown>>): Failure {
  return new Failure('notFound', invalidRequest, { errors: [refusal(id, about)] })
}

export function catalogNotFound(catalog_name: string): Failure {
  return notFoundRefusal('catalog-not-found', { catalog_name })
}

/** Returns a value of the client for an answer: cut, and without characters that PostgreSQL cannot store. */
function toEcho(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, echoCharactersMax).toWellFormed().replaceAll('\0', '\ufffd')
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}
