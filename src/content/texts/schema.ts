import Type from 'typebox'

/** Entries of one page of a list of content blocks or templates. */
export const listedDefault = 100
export const listedTextsMax = 1000

// Texts verbatim from the interface (contract 10.5, 4.11).

export const tagTexts = {
  notArray: 'Tags must be an array',
  notStrings: 'All tags must be strings',
  unknown: 'Some tags could not be found',
} as const

export const timeTexts = {
  badAfter: 'Modified after time is invalid',
  badBefore: 'Modified before time is invalid',
  reversed: 'Modified after time must be earlier than or the same as modified before time.',
} as const

/** A text of the workspace file with fewer than `bytesEnd` bytes. */
export function textBelow(bytesEnd: number, minLength = 0) {
  const what = minLength > 0 ? 'text that is not empty' : 'text'
  const text = Type.String({ minLength, description: `${what}, smaller than ${bytesEnd} bytes` })
  return Type.Refine(text, (given) => Buffer.byteLength(given) < bytesEnd)
}

// Shapes for `/openapi.json`. They only describe. The functions of the routes check requests.

export const Success = { message: Type.Literal('success') }
export const Time = Type.String({ format: 'date-time' })
export const Texts = Type.Array(Type.String())

/** The query of both lists. */
export const ListQuery = Type.Object({
  modified_after: Type.Optional(Type.String({ format: 'date-time', description: 'Updated then or later.' })),
  modified_before: Type.Optional(Type.String({ format: 'date-time', description: 'Updated then or earlier.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: listedTextsMax, default: listedDefault })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
})

export const count = Type.Integer({ description: 'Entries in this answer.' })
