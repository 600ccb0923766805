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
  tooLarge: 413,
  unsupportedType: 415,
  unprocessable: 422,
  rateLimited: 429,
  unavailable: 503,
} as const satisfies { readonly [kind in FailureKind]: number }

/** What a client sees when we are wrong. */
export const internalError = { message: 'Internal error' }

/** The body of a failed request in the dialect of its route. */
export function errorBody(dialect: Dialect, { kind, message, details }: Failure): object {
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
} as const satisfies { readonly [dialect in Dialect]: object }
