import { readConfig } from '../src/base/config.ts'
import type { Db } from '../src/base/db/db.ts'
import { quoteName, raw } from '../src/base/db/sql.ts'
import { Failure } from '../src/base/errors.ts'
import { type AnalystLimits, creationOf, grantsOf, newPassword, revocationsOf, verifierOf } from './analyst-role.ts'
import { note, type Outcome, type Shell, type Verb, type VerbGroup } from './command.ts'
import { requireMigrated, withDatabase } from './database.ts'
import { countOption } from './options.ts'
import { findRole, getOwnRights, listAnalystViews, type OwnRights } from './store.ts'

const nameForm = /^[a-z_][a-z0-9_]{0,62}$/
const timeoutSMax = 86_400
const connectionsMax = 100

const create: Verb<{ readonly timeout: number; readonly connections: number }> = {
  description: `Create a role of the PostgreSQL server that reads the views for analysts and nothing else. Prints its password once. When
the role of DATABASE_URL may not create roles, prints the SQL instead, for somebody who may.`,
  notes: 'docs/sql.md lists the views, docs/security.md what an analyst may see and do.',
  define: (command) => {
    command
      .argument('<name>', 'the name of the role: letters, digits and _')
      .addOption(countOption('--timeout <seconds>', 'how long a statement may take', timeoutSMax).default(60))
      .addOption(
        countOption('--connections <count>', 'how many connections it may have at once', connectionsMax).default(5),
      )
  },
  run: ([name], { timeout, connections }, shell) =>
    onServer(shell, async (db) => {
      const limits: AnalystLimits = { timeoutS: timeout, connections }
      const rights = await getOwnRights(db)
      checkName(name!)
      if (await findRole(db, name!))
        throw new Failure('conflict', `there is a role ${name} already: choose another name`)
      const password = newPassword()
      const views = await listAnalystViews(db)
      const creation = creationOf(name!, verifierOf(password), limits, rights.database, views)
      return rights.creates_roles
        ? createRole(db, { name: name!, password, creation, rights }, shell)
        : printRole({ name: name!, password, creation, rights }, shell)
    }),
}

const grant: Verb = {
  description: `Let an analyst read the views that a newer version of Easel has added. Its password and its limits stay.`,
  define: (command) => {
    command.argument('<name>', 'the name of the role')
  },
  run: ([name], _, shell) =>
    onServer(shell, async (db) => {
      await requireAnalyst(db, name!)
      const views = await listAnalystViews(db)
      await db.transaction((tx) => tx.query(raw(grantsOf(quoteName(name!), views).join('; '))))
      return { result: { name, views }, text: `${name} reads ${views.length} views.` }
    }),
}

const remove: Verb = {
  description: `Remove an analyst: its rights and its role. Its open connections are not ended, and can read nothing any more.`,
  define: (command) => {
    command.argument('<name>', 'the name of the role')
  },
  run: ([name], _, shell) =>
    onServer(shell, async (db) => {
      await requireAnalyst(db, name!)
      const role = quoteName(name!)
      const { database } = await getOwnRights(db)
      const statements = [
        `revoke all on all tables in schema public from ${role}`,
        `revoke all on schema public from ${role}`,
        `revoke all on database ${quoteName(database)} from ${role}`,
        `drop role ${role}`,
      ]
      await db.transaction((tx) => tx.query(raw(statements.join('; '))))
      return { result: { name }, text: `${name} is removed.` }
    }),
}

export const analystsVerbs: VerbGroup = {
  description: 'Roles of the PostgreSQL server that read the views for analysts.',
  verbs: { create, grant, remove },
}

type NewRole = {
  readonly name: string
  readonly password: string
  readonly creation: readonly string[]
  readonly rights: OwnRights
}

async function createRole(db: Db, { name, password, creation, rights }: NewRole, shell: Shell): Promise<Outcome> {
  const { byOwner, bySuperuser } = revocationsOf(rights.database)
  const own = [...(rights.owns_database ? byOwner : []), ...(rights.is_superuser ? bySuperuser : [])]
  const left = [...(rights.owns_database ? [] : byOwner), ...(rights.is_superuser ? [] : bySuperuser)]
  await db.transaction((tx) => tx.query(raw([...creation, ...own].join('; '))))
  note(shell, `The password of ${name}, shown this once:`)
  if (left.length > 0) note(shell, leftNote(left))
  return { result: { name, password, is_created: true, to_run: left }, text: password }
}

function printRole({ name, password, creation, rights }: NewRole, shell: Shell): Outcome {
  const { byOwner, bySuperuser } = revocationsOf(rights.database)
  const statements = [...creation, ...byOwner, ...bySuperuser]
  note(
    shell,
    `The role of DATABASE_URL may not create roles. Let a superuser run this SQL in the database ${rights.database}.`,
  )
  note(shell, `The password of ${name}, shown this once: ${password}`)
  const text = statements.map((statement) => `${statement};`).join('\n')
  return { result: { name, password, is_created: false, to_run: statements }, text }
}

function leftNote(statements: readonly string[]): string {
  const lines = statements.map((statement) => `  ${statement};`)
  return `These need other rights than those of DATABASE_URL; let the owner of the database or a superuser run them:\n${lines.join('\n')}`
}

function onServer(shell: Shell, work: (db: Db) => Promise<Outcome>): Promise<Outcome> {
  const config = readConfig(shell.env)
  if (config.databaseUrl === undefined)
    throw new Failure(
      'conflict',
      'the embedded database has no roles to log in with: "easel sql" and "easel export --parquet" read its views',
    )
  return withDatabase(shell, config, async (db) => {
    await requireMigrated(db)
    return work(db)
  })
}

/** Throws 400 for a name that would need quotes, and for names that PostgreSQL keeps for itself. */
function checkName(name: string): void {
  if (!nameForm.test(name) || name.startsWith('pg_'))
    throw new Failure('invalid', `'${name}' cannot be the name of a role: use small letters, digits and _, at most 63`)
}

/** Throws 404 for a role that is no analyst, so that no other role is changed by mistake. */
async function requireAnalyst(db: Db, name: string): Promise<void> {
  const role = await findRole(db, name)
  if (!role?.is_analyst) throw new Failure('notFound', `there is no analyst ${name}`)
}
