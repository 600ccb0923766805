import type { IncomingHttpHeaders } from 'node:http'
import type { Failure, FailureKind } from '../errors.ts'
import type { Dialect } from './route.ts'

/** Text of a 400 for a body that is not JSON; its answer also has `error`, as the interface's framework has it. */
export const malformedJson = 'The request body is not valid JSON'

export const statuses = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  notAllowed: 405,
  timedOut: 408,
  conflict: 409,
  preconditionFailed: 412,
  tooLarge: 413,
  unsupportedType: 415,
  unprocessable: 422,
  rateLimited: 429,
  notImplemented: 501,
  unavailable: 503,
} as const satisfies { readonly [kind in FailureKind]: number }

/** What a client sees when we are wrong. */
export const internalError = { message: 'Internal error' }

/** Whether a SCIM error has its status as a number, as the specification has it, or as text, as RFC 7644 does. */
export type ScimStatus = 'number' | 'string'

const scimSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The body of a failed request in the dialect of its route; without a failure it is our mistake. */
export function errorBody(dialect: Dialect, failure: Failure | undefined, scimStatus: ScimStatus): object {
  if (dialect === 'scim') return scimError(failure, scimStatus)
  return failure ? plainError(dialect, failure) : internalError
}

/** RFC 7644, 3.12. */
function scimError(failure: Failure | undefined, scimStatus: ScimStatus): object {
  const status = failure ? statuses[failure.kind] : 500
  const scimType = failure && (failure.details.scimType ?? scimTypeOf(failure))
  return {
    schemas: [scimSchema],
    detail: failure?.message ?? internalError.message,
    status: scimStatus === 'string' ? String(status) : status,
    ...(scimType && { scimType }),
  }
}

function scimTypeOf({ kind, message }: Failure): string | undefined {
  if (message === malformedJson) return 'invalidSyntax'
  return kind === 'invalid' ? 'invalidValue' : kind === 'conflict' ? 'uniqueness' : undefined
}

/** The dialect of requests that reach no route: those under `/scim/` are answered in SCIM form, whatever they are. */
export function dialectAt(url: string): Dialect {
  return /^\/+scim(?:\/|\?|$)/.test(url) ? 'scim' : 'standard'
}

/** The type of a body in a dialect: SCIM's own for whoever speaks of it. */
export function contentTypeOf(
  dialect: Dialect,
  { accept = '', 'content-type': sent = '' }: IncomingHttpHeaders,
): string {
  return dialect === 'scim' && /application\/scim\+json/i.test(`${accept},${sent}`) ? scimJson : 'application/json'
}

const scimJson = 'application/scim+json'

function plainError(dialect: Exclude<Dialect, 'scim'>, { kind, message, details }: Failure): object {
  const body = message === malformedJson ? { message, error: message } : { message }
  if (details.errors !== undefined) return { ...body, errors: details.errors }
  if (dialect === 'standard' || !alwaysWithErrors.has(kind)) return body
  return { ...body, errors: [dialect === 'track' ? { type: message } : arbitraryError] }
}

/** What a catalog's list of errors says when the message alone can tell what is wrong (contract 4.9.1). */
const arbitraryError = {
  id: 'arbitrary-error',
  message: 'An arbitrary error occurred',
  parameters: [],
  parameter_values: [],
}

/** The body of an error that arose before there was a route. */
export function bareError(message: string): object {
  return { message }
}

// Refusals of what was sent; the others are about who asks, and when.
const alwaysWithErrors: ReadonlySet<FailureKind> = new Set([
  'invalid',
  'timedOut',
  'tooLarge',
  'unsupportedType',
  'unprocessable',
])

const message = { type: 'string', description: 'What is wrong, for a person to read.' }

/** JSON Schemas of the bodies above. */
export const errorSchemas = {
  standard: {
    type: 'object',
    required: ['message'],
    properties: {
      message,
      error: { type: 'string', description: 'Only when the body is not JSON.' },
      errors: { type: 'array', items: {}, description: 'One entry per mistake, where the endpoint tells them apart.' },
    },
  },
  track: {
    type: 'object',
    required: ['message'],
    properties: {
      message,
      error: { type: 'string', description: 'Only when the body is not JSON.' },
      errors: {
        type: 'array',
        description: 'Always there when what was sent is refused.',
        items: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { type: 'string', description: 'What is wrong with the object.' },
            input_array: { type: 'string', enum: ['attributes', 'events', 'purchases'] },
            index: { type: 'integer', minimum: 0, description: 'Position in that array.' },
          },
        },
      },
    },
  },
  catalog: {
    type: 'object',
    required: ['message'],
    properties: {
      message,
      error: { type: 'string', description: 'Only when the body is not JSON.' },
      errors: {
        type: 'array',
        description: 'Always there when what was sent is refused: one entry per mistake and item.',
        items: {
          type: 'object',
          required: ['id', 'message', 'parameters', 'parameter_values'],
          properties: {
            id: { type: 'string', description: 'What is wrong, for a program to read.' },
            message,
            parameters: { type: 'array', items: { type: 'string' }, description: 'What it is about.' },
            parameter_values: { type: 'array', items: {}, description: 'And their values, one each.' },
          },
        },
      },
    },
  },
  scim: {
    type: 'object',
    required: ['schemas', 'detail', 'status'],
    properties: {
      schemas: { type: 'array', items: { type: 'string', const: scimSchema } },
      detail: message,
      status: { type: ['integer', 'string'], description: 'Text where `settings.scim.status` says `string`.' },
      scimType: { type: 'string', description: 'What is wrong, for a program to read: RFC 7644, table 9.' },
    },
  },
} as const satisfies { readonly [dialect in Dialect]: object }
