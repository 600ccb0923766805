import type { ScimFilter } from './filter.ts'
import type { ScimObject } from './filter-match.ts'
import { changeAttribute, PatchWork, type Verb } from './patch-change.ts'
import { type PatchTarget, parsePatchPath } from './patch-path.ts'
import { enterpriseSchema, enterpriseUser, userResource } from './schema.ts'
import {
  checkSchemas,
  findMissing,
  findProperty,
  isScimObject,
  isWritable,
  type PassOver,
  type ScimMistake,
} from './values.ts'

export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
/** Operations of one request. */
export const operationsMax = 100
/** UTF-16 units of a path. */
export const pathCharactersMax = 2000
/** The work of one member of an object without a path, and of one operation: its path is parsed. */
export const pathSteps = 40

export type PatchOperation = { readonly verb: Verb; readonly path: string | undefined; readonly value: unknown }
type MutableObject = { [name: string]: unknown }

/** How a PATCH is applied. */
export type PatchOptions = {
  readonly passOver?: PassOver | undefined
  /** Returns the name by which the resource has a role, given its name or its id; undefined when there is none. */
  readonly findRole?: (text: string) => string | undefined
}

export type Patched = {
  readonly resource: ScimObject
  /** Whether the department of the resource was set or removed by its name in the enterprise schema. */
  readonly isEnterpriseDepartment: boolean
}

/**
 * Applies all operations of a PATCH to a copy of the resource (RFC 7644, section 3.5.2), in the dialects of the common identity providers.
 * Returns the mistake of the first operation that fails; then none is applied. With `passOver` an operation or a member that fails is
 * passed over, and only a body without operations is refused.
 */
export function applyPatch(
  resource: ScimObject,
  body: unknown,
  options: PatchOptions = {},
): Patched | { mistake: ScimMistake } {
  const read = readOperations(body)
  if ('mistake' in read) return read
  const changed: MutableObject = structuredClone(resource)
  const { department } = resource
  if (department !== undefined) changed[enterpriseSchema] = { department }
  const run = new PatchRun(changed, options)
  for (const [i, given] of read.operations.entries()) {
    const operation = readOperation(given, i)
    const mistake = run.refused('mistake' in operation ? operation.mistake : run.apply(operation))
    if (mistake) return { mistake }
  }
  const missing = findMissing(changed, ['userName', 'name'], ['givenName'])
  return missing ? { mistake: missing } : settleDepartment(changed, department)
}

/** The department has two names. What changed by one of them counts for both; the core one has precedence. */
function settleDepartment(changed: MutableObject, before: unknown): Patched {
  const { [enterpriseSchema]: extension, ...resource } = changed
  const department = isScimObject(extension) ? extension.department : undefined
  if (resource.department !== before || department === before) return { resource, isEnterpriseDepartment: false }
  const { department: _, ...rest } = resource
  return { resource: department === undefined ? rest : { ...rest, department }, isEnterpriseDepartment: true }
}

/** Reads the list of operations of a PATCH, which are then read one by one. */
export function readOperations(
  body: unknown,
  countMax = operationsMax,
): { operations: readonly unknown[] } | { mistake: ScimMistake } {
  if (!isScimObject(body)) return syntax('The body must be a JSON object')
  const wrong = checkSchemas(body, patchSchema)
  if (wrong) return { mistake: { ...wrong, scimType: 'invalidSyntax' } }
  const given = findProperty(body, 'Operations')
  if (!Array.isArray(given) || given.length === 0) return syntax('Operations must be a list with an operation in it')
  if (given.length > countMax) {
    return { mistake: { scimType: 'tooMany', detail: `A request has at most ${countMax} operations` } }
  }
  return { operations: given }
}

export function readOperation(given: unknown, i: number): PatchOperation | { mistake: ScimMistake } {
  if (!isScimObject(given)) return syntax(`Operations[${i}] must be an object`)
  const verb = findProperty(given, 'op')
  const path = findProperty(given, 'path') ?? undefined
  const lower = typeof verb === 'string' ? verb.toLowerCase() : ''
  if (lower !== 'add' && lower !== 'replace' && lower !== 'remove') {
    return syntax(`Operations[${i}].op must be add, replace or remove`)
  }
  if (path !== undefined && (typeof path !== 'string' || path.length > pathCharactersMax)) {
    const detail = `Operations[${i}].path must be text of at most ${pathCharactersMax} characters`
    return { mistake: { scimType: 'invalidPath', detail } }
  }
  return { verb: lower, path: path === '' ? undefined : path, value: findProperty(given, 'value') }
}

/** Applies operations to a resource, which is changed in place. */
class PatchRun {
  private readonly resource: MutableObject
  private readonly passOver: PassOver | undefined
  private readonly findRole: NonNullable<PatchOptions['findRole']>
  private readonly work = new PatchWork()

  constructor(resource: MutableObject, { passOver, findRole = (text) => text }: PatchOptions) {
    this.resource = resource
    this.passOver = passOver
    this.findRole = findRole
  }

  /** Returns the mistake that refuses the request; undefined when it is passed over. */
  refused(mistake: ScimMistake | undefined): ScimMistake | undefined {
    if (mistake && this.passOver) this.passOver(mistake)
    return this.passOver ? undefined : mistake
  }

  apply({ verb, path, value }: PatchOperation): ScimMistake | undefined {
    const tooMuch = this.work.spend(pathSteps)
    if (tooMuch) return tooMuch
    if (path === undefined) {
      if (verb === 'remove') return { scimType: 'noTarget', detail: 'remove needs a path' }
      return isScimObject(value)
        ? this.applyObject(verb, value, '')
        : invalid(`${verb} without a path needs an object as its value`)
    }
    const target = parsePatchPath(path, userResource)
    if ('mistake' in target) return target.mistake
    if ('isNotStored' in target) return undefined
    if ('isSchema' in target) return this.applySchema(target, verb, path, value)
    const fixed = target.steps.find(({ attribute }) => attribute.mutability === 'readOnly')
    if (fixed) return { scimType: 'mutability', detail: `${fixed.attribute.name} cannot be changed` }
    if (!isWritable(target.steps[0].attribute)) return undefined
    if (verb !== 'remove' && value === undefined) return invalid(`${verb} of ${path} needs a value`)
    return this.change(target, verb, value)
  }

  private applySchema(
    { isEnterprise }: Extract<PatchTarget, { isSchema: true }>,
    verb: Verb,
    path: string,
    value: unknown,
  ): ScimMistake | undefined {
    if (verb !== 'remove') {
      if (isScimObject(value)) return this.applyObject(verb, value, `${path.trim()}:`)
      return isEnterprise ? undefined : invalid(`${path} needs an object`)
    }
    if (isEnterprise) return this.change({ steps: [{ attribute: enterpriseUser }] }, verb, value)
    return { scimType: 'mutability', detail: `${path} cannot be removed` }
  }

  /**
   * Applies the properties of an object, each as an operation. Some providers write paths instead of names. A client may send a complete
   * resource, so attributes that cannot be changed are ignored.
   */
  private applyObject(verb: Verb, value: ScimObject, prefix: string): ScimMistake | undefined {
    const names = Object.keys(value)
    const tooMuch = this.work.spend(names.length * pathSteps)
    if (tooMuch) return tooMuch
    for (const name of names) {
      const mistake = this.refused(this.applyMember(verb, name, value[name], prefix))
      if (mistake) return mistake
    }
    return undefined
  }

  private applyMember(verb: Verb, name: string, value: unknown, prefix: string): ScimMistake | undefined {
    const target = parsePatchPath(`${prefix}${name}`, userResource)
    if ('mistake' in target || 'isNotStored' in target) return undefined
    if ('isSchema' in target) {
      return prefix === '' && isScimObject(value) ? this.applyObject(verb, value, `${name}:`) : undefined
    }
    if (!target.steps.every(({ attribute }) => isWritable(attribute))) return undefined
    return this.change(target, verb, value)
  }

  /** The department of the enterprise schema refuses nobody: a value that cannot be stored is left out. */
  private change(
    { steps }: Extract<PatchTarget, { steps: unknown }>,
    verb: Verb,
    value: unknown,
  ): ScimMistake | undefined {
    if (steps[0].attribute.name === 'roles') return this.changeRoles(steps, verb, value)
    const mistake = changeAttribute(this.resource, steps, verb, value, this.work)
    return steps[0].attribute === enterpriseUser && mistake?.scimType === 'invalidValue' ? undefined : mistake
  }

  /** Writes the names and ids of roles as the resource has them. A role that is not declared is refused, and never left out. */
  private changeRoles([first, ...rest]: PatchSteps, verb: Verb, value: unknown): ScimMistake | undefined {
    const { selection } = first
    const selected = selection && { selection: mapValues(selection, (text) => this.findRole(text) ?? text) }
    const isOfItem = rest[0] === undefined || rest[0].attribute.name === 'value'
    const unknown: string[] = []
    const resolve = (text: string): string => {
      const role = this.findRole(text)
      if (role === undefined) unknown.push(text)
      return role ?? text
    }
    const named = isOfItem ? mapRoles(value, resolve) : value
    if (unknown.length > 0 && verb !== 'remove')
      return invalid('roles.value must be the name or the id of a role that is declared here')
    return changeAttribute(this.resource, [{ ...first, ...selected }, ...rest], verb, named, this.work)
  }
}

type PatchSteps = Extract<PatchTarget, { steps: unknown }>['steps']

/** Maps the texts that name roles: a text, an item with a `value`, or a list of them. */
function mapRoles(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return value === '' ? value : map(value)
  if (Array.isArray(value)) return value.map((each) => mapRoles(each, map))
  if (!isScimObject(value)) return value
  const text = findProperty(value, 'value')
  return typeof text === 'string' && text !== '' ? { value: map(text) } : value
}

/** Maps the texts with which a selection compares `value`. */
function mapValues(filter: ScimFilter, map: (text: string) => string): ScimFilter {
  if ('all' in filter) return { all: filter.all.map((each) => mapValues(each, map)) }
  if ('any' in filter) return { any: filter.any.map((each) => mapValues(each, map)) }
  if ('not' in filter) return { not: mapValues(filter.not, map) }
  if ('some' in filter || filter.operator === 'pr' || filter.path !== 'value') return filter
  return typeof filter.value === 'string' ? { ...filter, value: map(filter.value) } : filter
}

function invalid(detail: string): ScimMistake {
  return { scimType: 'invalidValue', detail }
}

function syntax(detail: string): { mistake: ScimMistake } {
  return { mistake: { scimType: 'invalidSyntax', detail } }
}
