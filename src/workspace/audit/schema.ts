import Type, { type Static } from 'typebox'
import { auditKinds } from './kinds.ts'

export const auditPageDefault = 50
export const auditPageMax = 200
/** The most characters of `before` and `after` together in a list. Longer ones are omitted. */
export const listedCharactersMax = 16_384

const Moment = Type.String({ format: 'date-time' })
const OrNull = <const S extends object>(schema: S) => Type.Union([schema, Type.Null()])

export const AuditQuery = Type.Object({
  workspace: Type.Optional(
    Type.String({
      description:
        'Changes in the workspace with this id; all changes, including those of the installation, when absent.',
    }),
  ),
  actor: Type.Optional(
    Type.String({
      description: 'The author: account, scim, admin, key, system or anonymous, or one author as account:<id>.',
    }),
  ),
  target: Type.Optional(
    Type.String({ description: 'What was changed: a kind such as segment, or one object as segment:<id>.' }),
  ),
  action: Type.Optional(Type.String({ description: 'The action, such as segment.update.' })),
  kind: Type.Optional(Type.String({ description: 'change, access or refusal.' })),
  request_id: Type.Optional(Type.String({ description: 'The X-Request-Id of the answer to the change.' })),
  since: Type.Optional({ ...Moment, description: 'Changes at or after this time, ISO 8601 with offset.' }),
  until: Type.Optional({ ...Moment, description: 'Changes before this time, ISO 8601 with offset.' }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: auditPageMax, description: `${auditPageDefault} when absent.` }),
  ),
  cursor: Type.Optional(Type.String({ description: '`cursor` of the previous page.' })),
})

export const AuditEntry = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...auditKinds], {
    description: 'change: a write; access: people were read; refusal: a request was refused',
  }),
  at: Type.String({ format: 'date-time', description: 'Business time' }),
  workspace: OrNull(Type.String({ description: 'null for a change of the installation' })),
  actor: Type.Object({
    kind: Type.Enum(['account', 'scim', 'admin', 'system', 'key', 'anonymous']),
    id: Type.String(),
    name: Type.String({ description: 'The name at the time of the change' }),
  }),
  from: Type.Object({
    ip: Type.String({ description: 'Empty for the command line and for the start of the service' }),
    request_id: Type.String({ description: 'The X-Request-Id of the answer' }),
  }),
  action: Type.String(),
  target: Type.Object({ kind: Type.String(), id: Type.String(), name: OrNull(Type.String()) }),
  before: OrNull(Type.Object({}, { description: 'null for a new object; otherwise the changed properties' })),
  after: OrNull(Type.Object({}, { description: 'null for a deleted object; otherwise the changed properties' })),
  is_cut: Type.Optional(
    Type.Literal(true, {
      description: '`before` and `after` are too long for a list; GET /admin/audit/{id} returns them',
    }),
  ),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditReply = Type.Object({
  audit: Type.Array(AuditEntry, { description: 'Newest first' }),
  cursor: Type.Optional(Type.String({ description: 'The cursor of the next page; absent on the last page.' })),
})
export type AuditReply = Static<typeof AuditReply>

export const AuditOneReply = Type.Object({ entry: AuditEntry })
