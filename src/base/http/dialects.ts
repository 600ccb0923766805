import type { IncomingHttpHeaders } from 'node:http'
import type { Failure, FailureKind } from '../errors.ts'
import type { Dialect, Route } from './route.ts'

/** The text of a 400 for a body that is not JSON. That answer also has `error`, as clients of the interface expect. */
export const malformedJson = 'The request body is not valid JSON'

export const statuses = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  notAllowed: 405,
  timedOut: 408,
  conflict: 409,
  gone: 410,
  preconditionFailed: 412,
  tooLarge: 413,
  unsupportedType: 415,
  unprocessable: 422,
  rateLimited: 429,
  notImplemented: 501,
  unavailable: 503,
} as const satisfies { readonly [kind in FailureKind]: number }

/** The body of a 500. */
export const internalError = { message: 'Internal error' }

/** Whether the status in a SCIM error is a number, as in the specification, or text, as in RFC 7644. */
export type ScimStatus = 'number' | 'string'

const scimSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** How the body of an error is written. Of standard errors, those of the administration name their entries `errors`. */
export type ErrorDialect = Dialect | 'admin'

export function errorDialectOf({ errors, path }: Pick<Route, 'errors' | 'path'>): ErrorDialect {
  return errors === 'standard' && path.startsWith('/admin/') ? 'admin' : errors
}

/** Returns the body of a failed request in the dialect of its route. Without a failure it is the body of a 500. */
export function errorBody(dialect: ErrorDialect, failure: Failure | undefined, scimStatus: ScimStatus): object {
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

/** Returns the dialect of a request that reaches no route: SCIM under `/scim/`. */
export function dialectAt(url: string): Dialect {
  return /^\/+scim(?:\/|\?|$)/.test(url) ? 'scim' : 'standard'
}

/** Returns the content type of an error: SCIM's own type for a client that names it in `Accept` or `Content-Type`. */
export function contentTypeOf(
  dialect: Dialect,
  { accept = '', 'content-type': sent = '' }: IncomingHttpHeaders,
): string {
  return dialect === 'scim' && /application\/scim\+json/i.test(`${accept},${sent}`) ? scimJson : 'application/json'
}

const scimJson = 'application/scim+json'

function plainError(dialect: Exclude<ErrorDialect, 'scim'>, { kind, message, details }: Failure): object {
  const text = message === malformedJson ? { message, error: message } : { message }
  const body = details.code === undefined ? text : { ...text, error_code: details.code }
  if (details.errors !== undefined) {
    // Clients of the public interface decode `errors` as the entries of `/users/track`.
    return { ...body, [dialect === 'standard' ? 'details' : 'errors']: details.errors }
  }
  if (dialect === 'standard' || dialect === 'admin' || !alwaysWithErrors.has(kind)) return body
  return { ...body, errors: dialect === 'track' ? [] : [arbitraryError] }
}

/** Returns the entry in the errors of a catalog when only the message has the reason (contract 4.9.1). */
const arbitraryError = {
  id: 'arbitrary-error',
  message: 'An arbitrary error occurred',
  parameters: [],
  parameter_values: [],
}

/** Returns the body of an error that occurred before routing. */
export function bareError(message: string): object {
  return { message }
}

// Refusals because of the content of a request. The others are about the caller or the time.
const alwaysWithErrors: ReadonlySet<FailureKind> = new Set([
  'invalid',
  'timedOut',
  'tooLarge',
  'unsupportedType',
  'unprocessable',
])

const message = { type: 'string', description: 'What is wrong, for a person to read.' }

/** JSON Schemas of the bodies of errors. */
export const errorSchemas = {
  standard: {
    type: 'object',
    required: ['message'],
    properties: {
      message,
      error: { type: 'string', description: 'Only when the body is not JSON.' },
      details: { type: 'array', items: {}, description: 'One entry for each mistake, at endpoints that list them.' },
      error_code: { type: 'string', description: 'The reason, for a program to read, at endpoints that have codes.' },
    },
  },
  admin: {
    type: 'object',
    required: ['message'],
    properties: {
      message,
      error: { type: 'string', description: 'Only when the body is not JSON.' },
      errors: { type: 'array', items: {}, description: 'One entry for each mistake, at endpoints that list them.' },
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
        description:
          'Present when the content of the request is refused: one entry for each refused object. Empty when no object is the cause.',
        items: {
          type: 'object',
          required: ['type', 'input_array', 'index'],
          properties: {
            type: { type: 'string', description: 'What is wrong with the object.' },
            input_array: { type: 'string', enum: ['attributes', 'events', 'purchases'] },
            index: { type: 'integer', minimum: 0, description: 'The position in that array.' },
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
        description: 'Present when the content of the request is refused: one entry for each mistake of each item.',
        items: {
          type: 'object',
          required: ['id', 'message', 'parameters', 'parameter_values'],
          properties: {
            id: { type: 'string', description: 'What is wrong, for a program to read.' },
            message,
            parameters: { type: 'array', items: { type: 'string' }, description: 'What the mistake is about.' },
            parameter_values: { type: 'array', items: {}, description: 'The values of the parameters, one for each.' },
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
      status: { type: ['integer', 'string'], description: 'Text when `settings.scim.status` is `string`.' },
      scimType: { type: 'string', description: 'What is wrong, for a program to read: RFC 7644, table 9.' },
    },
  },
} as const satisfies { readonly [dialect in ErrorDialect]: object }
