import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { quoteName } from '../src/base/db/sql.ts'

/** What an analyst may do at most. Each is a setting of the role. */
export type AnalystLimits = { readonly timeoutS: number; readonly connections: number }

const scramRounds = 4_096
const saltBytes = 16
const passwordBytes = 24
const idleSeconds = 60

/** Functions of PostgreSQL that everybody may call and that write: large objects. Those that read files nobody may call but superusers. */
const writingFunctions = [
  ...['lo_creat(int4)', 'lo_create(oid)', 'lo_from_bytea(oid, bytea)', 'lo_put(oid, int8, bytea)', 'lo_unlink(oid)'],
  ...['lo_open(oid, int4)', 'lowrite(int4, bytea)', 'lo_truncate(int4, int4)', 'lo_truncate64(int4, int8)'],
]

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Returns the statements that let a role read the views. `role` is quoted. */
export function grantsOf(role: string, views: readonly string[]): string[] {
  return [`grant usage on schema public to ${role}`, `grant select on ${views.map(quoteName).join(', ')} to ${role}`]
}

/** Returns the statements that create an analyst: a role that logs in, and reads the views only. `verifier` is of its password. */
export function creationOf(
  name: string,
  verifier: string,
  { timeoutS, connections }: AnalystLimits,
  database: string,
  views: readonly string[],
): string[] {
  const role = quoteName(name)
  const settings = [
    'default_transaction_read_only = on',
    // A planner expects few rows of a view that joins tables, and would read another view again for each of them.
    'enable_nestloop = off',
    `statement_timeout = '${timeoutS}s'`,
    `idle_in_transaction_session_timeout = '${idleSeconds}s'`,
  ]
  return [
    `create role ${role} login nosuperuser nocreatedb nocreaterole noinherit connection limit ${connections}
      password ${quoteText(verifier)}`,
    ...settings.map((setting) => `alter role ${role} set ${setting}`),
    `grant connect on database ${quoteName(database)} to ${role}`,
    ...grantsOf(role, views),
  ]
}

/** Statements that take from everybody what an analyst must not have. Each needs the owner of the database, or a superuser. */
export function revocationsOf(database: string): {
  readonly byOwner: readonly string[]
  readonly bySuperuser: readonly string[]
} {
  return {
    byOwner: [
      `revoke temporary on database ${quoteName(database)} from public`,
      'revoke create on schema public from public',
    ],
    bySuperuser: [`revoke execute on function ${writingFunctions.join(', ')} from public`],
  }
}

export function newPassword(): string {
  return randomBytes(passwordBytes).toString('base64url')
}

/** Returns what the server stores of a password (SCRAM-SHA-256), so that the password itself is in no statement and in no log. */
export function verifierOf(password: string, salt: Buffer = randomBytes(saltBytes)): string {
  const salted = pbkdf2Sync(password, salt, scramRounds, 32, 'sha256')
  const keyOf = (label: string) => createHmac('sha256', salted).update(label).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${scramRounds}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}
