/**
 * `change`: recorded in the transaction of a write · `access`: a known caller has read people, or a file was downloaded · `refusal`: a
 * request was refused, which strangers can cause.
 */
export const auditKinds = ['change', 'access', 'refusal'] as const
export type AuditKind = (typeof auditKinds)[number]
