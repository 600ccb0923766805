import Type, { type Static } from 'typebox'

export const auditPageDefault = 50
export const auditPageMax = 200
/** Characters that `before` and `after` of an entry may have together in a list. */
export const listedCharactersMax = 16_384

const Moment = Type.String({ format: 'date-time' })
const OrNull = <const S extends object>(schema: S) => Type.Union([schema, Type.Null()])

export const AuditQuery = Type.Object({
  workspace: Type.Optional(
    Type.String({
      description: 'Writes in the workspace with this id; all, those of the installation too, when absent.',
    }),
  ),
  actor: Type.Optional(
    Type.String({ description: 'Who: account, scim, admin or system, or one of them as account:<id>.' }),
  ),
  target: Type.Optional(Type.String({ description: 'What was written: a kind such as segment, or segment:<id>.' })),
  action: Type.Optional(Type.String({ description: 'What was done, such as segment.update.' })),
  request_id: Type.Optional(Type.String({ description: 'The X-Request-Id of the answer to the write.' })),
  since: Type.Optional({ ...Moment, description: 'From this moment on, ISO 8601 with offset.' }),
  until: Type.Optional({ ...Moment, description: 'Before this moment.' }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: auditPageMax, description: `${auditPageDefault} when absent.` }),
  ),
  cursor: Type.Optional(Type.String({ description: '`cursor` of the page before.' })),
})

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Type.String({ format: 'date-time', description: 'Business time' }),
  workspace: OrNull(Type.String({ description: 'null: the installation as a whole' })),
  actor: Type.Object({
    kind: Type.Enum(['account', 'scim', 'admin', 'system']),
    id: Type.String(),
    name: Type.String({ description: 'As it was then' }),
  }),
  from: Type.Object({
    ip: Type.String({ description: 'Empty for the command line and a start' }),
    request_id: Type.String({ description: 'The X-Request-Id of the answer' }),
  }),
  action: Type.String(),
  target: Type.Object({ kind: Type.String(), id: Type.String(), name: OrNull(Type.String()) }),
  before: OrNull(Type.Object({}, { description: 'null for what is new; otherwise what has changed' })),
  after: OrNull(Type.Object({}, { description: 'null for what is gone; otherwise what has changed' })),
  is_cut: Type.Optional(
    Type.Literal(true, { description: 'before and after are too long for a list: GET /admin/audit/{id} has them' }),
  ),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditReply = Type.Object({
  audit: Type.Array(AuditEntry, { description: 'Newest first' }),
  cursor: Type.Optional(Type.String({ description: 'There is more: the cursor of the next page.' })),
})
export type AuditReply = Static<typeof AuditReply>

export const AuditOneReply = Type.Object({ entry: AuditEntry })
