import { createRequire } from 'node:module'
import type { TSchema } from 'typebox'
import { isAnyNumber, isStorableNumber, numberCharactersMax } from '../../base/exact-number.ts'
import { joinPath, type Mistake } from '../settings/mistake.ts'

const givenCharsMax = 60
const depthMax = 50
const unstorable = `must be a finite number of at most ${numberCharactersMax} characters`

const require = createRequire(import.meta.url)

/**
 * Returns all mistakes of a value against a shape. Their texts are made of the `description` of the shape; a `writeOnly` value is never
 * repeated in them. Text that PostgreSQL cannot store (NUL, an unpaired surrogate) is a mistake everywhere.
 */
export function mistakesOf(shape: TSchema, value: unknown, path: string): Mistake[] {
  // This import loads 300 modules, which would delay the start of the process.
  const { Value } = require('typebox/value') as typeof import('typebox/value')
  const mistakes: Mistake[] = badText(value, path)
  for (const error of Value.Errors(shape, value)) {
    // For a union, only its own mistake is reported, because the mistakes of its branches contradict each other.
    if (error.keyword === 'boolean' || error.schemaPath.includes('/anyOf/')) continue
    const schema = schemaAt(shape, error.schemaPath)
    const at = join(path, error.instancePath)
    if (error.keyword === 'additionalProperties') {
      for (const name of error.params.additionalProperties) mistakes.push(unknownMember(schema, at, name))
    } else if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) mistakes.push(missingMember(schema, at, name))
    } else if (!mistakes.some((known) => known.path === at)) {
      mistakes.push({
        path: at,
        message: `must be ${schema.description ?? error.message}${given(schema, value, error.instancePath)}`,
      })
    }
  }
  return mistakes
}

type Annotated = { description?: string; writeOnly?: boolean; properties?: Record<string, unknown> }

function unknownMember(schema: Annotated, path: string, name: string): Mistake {
  const known = Object.keys(schema.properties ?? {}).join(', ')
  return { path: joinPath(path, name), message: `is not known here; known are ${known}` }
}

function missingMember(schema: Annotated, path: string, name: string): Mistake {
  const member = schema.properties?.[name] as Annotated | undefined
  return { path: joinPath(path, name), message: `is missing; it must be ${member?.description ?? 'given'}` }
}

function given(schema: Annotated, value: unknown, pointer: string): string {
  if (schema.writeOnly === true) return ''
  const wrong = pointer.split('/').slice(1).map(unescaped).reduce(step, value)
  // An object may hold a secret.
  if (schema.properties || (typeof wrong === 'object' && wrong !== null && !isAnyNumber(wrong)))
    return `, not ${kindOf(wrong)}`
  const text = JSON.stringify(wrong)
  return `, not ${text.length > givenCharsMax ? `${text.slice(0, givenCharsMax)}...` : text}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'this list'
  return typeof value === 'object' ? 'this object' : `a ${typeof value}`
}

function schemaAt(shape: TSchema, pointer: string): Annotated {
  return pointer.split('/').slice(1).map(unescaped).reduce(step, shape) as Annotated
}

function step(value: unknown, name: string): unknown {
  return (value as Record<string, unknown>)[name]
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function join(path: string, pointer: string): string {
  const segments = pointer.split('/').slice(1).map(unescaped)
  return segments.reduce((at, segment) => (/^\d+$/.test(segment) ? `${at}[${segment}]` : joinPath(at, segment)), path)
}

function badText(value: unknown, path: string, depth = 0): Mistake[] {
  if (depth > depthMax) return [{ path, message: `must be nested at most ${depthMax} deep` }]
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return []
    return [{ path, message: 'must be text without NUL characters and half surrogate pairs' }]
  }
  if (isAnyNumber(value)) return isStorableNumber(value) ? [] : [{ path, message: unstorable }]
  if (Array.isArray(value)) return value.flatMap((item, i) => badText(item, `${path}[${i}]`, depth + 1))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => badText(item, joinPath(path, name), depth + 1))
}
