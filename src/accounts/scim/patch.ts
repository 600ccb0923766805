import type { Members } from './filter-match.ts'
import { change, type Verb } from './patch-change.ts'
import { readPath } from './patch-path.ts'
import { userResource } from './schema.ts'
import { isMembers, isSet, type Mistake, memberOf, missingOf, schemasMistake } from './values.ts'

export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
/** Operations of one request. */
export const operationsMax = 100
/** UTF-16 units of a path. */
export const pathCharactersMax = 2000

type Operation = { readonly verb: Verb; readonly path: string | undefined; readonly value: unknown }

/**
 * The resource after all operations of a PATCH (RFC 7644, section 3.5.2), in either dialect of the identity providers; or what is wrong
 * with the first one that cannot be done, and then nothing is.
 */
export function applyPatch(resource: Members, body: unknown): { resource: Members } | { mistake: Mistake } {
  const read = readOperations(body)
  if ('mistake' in read) return read
  const changed: { [name: string]: unknown } = structuredClone(resource)
  for (const operation of read.operations) {
    const mistake = perform(changed, operation)
    if (mistake) return { mistake }
  }
  const missing = missingOf(changed, ['userName', 'name'])
  return missing ? { mistake: missing } : { resource: changed }
}

function readOperations(body: unknown): { operations: Operation[] } | { mistake: Mistake } {
  if (!isMembers(body)) return syntax('The body must be a JSON object')
  const wrong = schemasMistake(body, patchSchema)
  if (wrong) return { mistake: { ...wrong, scimType: 'invalidSyntax' } }
  const given = memberOf(body, 'Operations')
  if (!Array.isArray(given) || given.length === 0) return syntax('Operations must be a list with an operation in it')
  if (given.length > operationsMax) {
    return { mistake: { scimType: 'tooMany', detail: `A request has at most ${operationsMax} operations` } }
  }
  const operations: Operation[] = []
  for (const [i, each] of given.entries()) {
    if (!isMembers(each)) return syntax(`Operations[${i}] must be an object`)
    const verb = memberOf(each, 'op')
    const path = memberOf(each, 'path') ?? undefined
    const lower = typeof verb === 'string' ? verb.toLowerCase() : ''
    if (lower !== 'add' && lower !== 'replace' && lower !== 'remove') {
      return syntax(`Operations[${i}].op must be add, replace or remove`)
    }
    if (path !== undefined && (typeof path !== 'string' || path.length > pathCharactersMax)) {
      return {
        mistake: {
          scimType: 'invalidPath',
          detail: `Operations[${i}].path must be text of at most ${pathCharactersMax} characters`,
        },
      }
    }
    operations.push({ verb: lower, path: path === '' ? undefined : path, value: memberOf(each, 'value') })
  }
  return { operations }
}

function perform(resource: { [name: string]: unknown }, { verb, path, value }: Operation): Mistake | undefined {
  if (path === undefined) {
    if (verb === 'remove') return { scimType: 'noTarget', detail: 'remove needs a path' }
    return isMembers(value)
      ? merge(resource, verb, value, '')
      : invalid(`${verb} without a path needs an object as its value`)
  }
  const target = readPath(path, userResource)
  if ('mistake' in target) return target.mistake
  if ('isUnkept' in target) return undefined
  if ('isWhole' in target) {
    const prefix = `${path.trim()}:`
    if (verb !== 'remove')
      return isMembers(value) ? merge(resource, verb, value, prefix) : invalid(`${path} needs an object`)
    return { scimType: 'mutability', detail: `${path} cannot be removed` }
  }
  const fixed = target.steps.find(({ attribute }) => attribute.mutability === 'readOnly')
  if (fixed) return { scimType: 'mutability', detail: `${fixed.attribute.name} cannot be changed` }
  if (!isSet(target.steps[0].attribute)) return undefined
  if (verb !== 'remove' && value === undefined) return invalid(`${verb} of ${path} needs a value`)
  return change(resource, target.steps, verb, value)
}

/**
 * The members of an object, each as an operation of its own. Providers write paths in place of names. Who sends a whole resource means
 * what may be changed of it, so everything else is passed over.
 */
function merge(resource: { [name: string]: unknown }, verb: Verb, value: Members, prefix: string): Mistake | undefined {
  for (const [name, each] of Object.entries(value)) {
    const target = readPath(`${prefix}${name}`, userResource)
    if ('mistake' in target || 'isUnkept' in target) continue
    if ('isWhole' in target) {
      const mistake = prefix === '' && isMembers(each) ? merge(resource, verb, each, `${name}:`) : undefined
      if (mistake) return mistake
      continue
    }
    if (!target.steps.every(({ attribute }) => isSet(attribute))) continue
    const mistake = change(resource, target.steps, verb, each)
    if (mistake) return mistake
  }
  return undefined
}

function invalid(detail: string): Mistake {
  return { scimType: 'invalidValue', detail }
}

function syntax(detail: string): { mistake: Mistake } {
  return { mistake: { scimType: 'invalidSyntax', detail } }
}
