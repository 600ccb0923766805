import type { ScimObject } from './filter-match.ts'
import { changeAttribute, type Verb } from './patch-change.ts'
import { parsePatchPath } from './patch-path.ts'
import { userResource } from './schema.ts'
import { checkSchemas, findMissing, findProperty, isScimObject, isWritable, type ScimMistake } from './values.ts'

export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
/** Operations of one request. */
export const operationsMax = 100
/** UTF-16 units of a path. */
export const pathCharactersMax = 2000

type PatchOperation = { readonly verb: Verb; readonly path: string | undefined; readonly value: unknown }

/**
 * Applies all operations of a PATCH to a copy of the resource (RFC 7644, section 3.5.2), in the dialects of the common identity providers.
 * Returns the mistake of the first operation that fails; then none is applied.
 */
export function applyPatch(resource: ScimObject, body: unknown): { resource: ScimObject } | { mistake: ScimMistake } {
  const read = readOperations(body)
  if ('mistake' in read) return read
  const changed: { [name: string]: unknown } = structuredClone(resource)
  for (const operation of read.operations) {
    const mistake = applyOperation(changed, operation)
    if (mistake) return { mistake }
  }
  const missing = findMissing(changed, ['userName', 'name'])
  return missing ? { mistake: missing } : { resource: changed }
}

function readOperations(body: unknown): { operations: PatchOperation[] } | { mistake: ScimMistake } {
  if (!isScimObject(body)) return syntax('The body must be a JSON object')
  const wrong = checkSchemas(body, patchSchema)
  if (wrong) return { mistake: { ...wrong, scimType: 'invalidSyntax' } }
  const given = findProperty(body, 'Operations')
  if (!Array.isArray(given) || given.length === 0) return syntax('Operations must be a list with an operation in it')
  if (given.length > operationsMax) {
    return { mistake: { scimType: 'tooMany', detail: `A request has at most ${operationsMax} operations` } }
  }
  const operations: PatchOperation[] = []
  for (const [i, each] of given.entries()) {
    if (!isScimObject(each)) return syntax(`Operations[${i}] must be an object`)
    const verb = findProperty(each, 'op')
    const path = findProperty(each, 'path') ?? undefined
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
    operations.push({ verb: lower, path: path === '' ? undefined : path, value: findProperty(each, 'value') })
  }
  return { operations }
}

function applyOperation(
  resource: { [name: string]: unknown },
  { verb, path, value }: PatchOperation,
): ScimMistake | undefined {
  if (path === undefined) {
    if (verb === 'remove') return { scimType: 'noTarget', detail: 'remove needs a path' }
    return isScimObject(value)
      ? applyObject(resource, verb, value, '')
      : invalid(`${verb} without a path needs an object as its value`)
  }
  const target = parsePatchPath(path, userResource)
  if ('mistake' in target) return target.mistake
  if ('isNotStored' in target) return undefined
  if ('isSchema' in target) {
    const prefix = `${path.trim()}:`
    if (verb !== 'remove')
      return isScimObject(value) ? applyObject(resource, verb, value, prefix) : invalid(`${path} needs an object`)
    return { scimType: 'mutability', detail: `${path} cannot be removed` }
  }
  const fixed = target.steps.find(({ attribute }) => attribute.mutability === 'readOnly')
  if (fixed) return { scimType: 'mutability', detail: `${fixed.attribute.name} cannot be changed` }
  if (!isWritable(target.steps[0].attribute)) return undefined
  if (verb !== 'remove' && value === undefined) return invalid(`${verb} of ${path} needs a value`)
  return changeAttribute(resource, target.steps, verb, value)
}

/**
 * Applies the properties of an object, each as an operation. Some providers write paths instead of names. A client may send a complete
 * resource, so attributes that cannot be changed are ignored.
 */
function applyObject(
  resource: { [name: string]: unknown },
  verb: Verb,
  value: ScimObject,
  prefix: string,
): ScimMistake | undefined {
  for (const [name, each] of Object.entries(value)) {
    const target = parsePatchPath(`${prefix}${name}`, userResource)
    if ('mistake' in target || 'isNotStored' in target) continue
    if ('isSchema' in target) {
      const mistake = prefix === '' && isScimObject(each) ? applyObject(resource, verb, each, `${name}:`) : undefined
      if (mistake) return mistake
      continue
    }
    if (!target.steps.every(({ attribute }) => isWritable(attribute))) continue
    const mistake = changeAttribute(resource, target.steps, verb, each)
    if (mistake) return mistake
  }
  return undefined
}

function invalid(detail: string): ScimMistake {
  return { scimType: 'invalidValue', detail }
}

function syntax(detail: string): { mistake: ScimMistake } {
  return { mistake: { scimType: 'invalidSyntax', detail } }
}
