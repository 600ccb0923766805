import { type Config, variables } from './base/config.ts'
import { providerOf } from './messaging/channels/sms/provider.ts'
import { describeServer } from './messaging/mail/smtp.ts'

/** A secret that this start generated, and that is shown once; or a link that every start shows while it is needed. */
export type MadeSecret = { name: string; text: string; isShownAgain?: true }

export type Fact = { readonly name: string; readonly text: string }

/** The name of the admin token in the list of generated secrets. */
export const adminTokenName = 'Admin token'

/** Returns the facts about a start, besides what was generated: which admin token is valid, where data and mail go. */
export function factsOf(config: Config, made: readonly MadeSecret[]): Fact[] {
  const isTokenShown = made.some(({ name }) => name === adminTokenName)
  return [
    ...(isTokenShown ? [] : [{ name: adminTokenName, text: describeAdminToken(config) }]),
    { name: 'Database', text: describeDatabase(config) },
    { name: 'Mail', text: describeMail(config) },
    ...describeTexts(config),
    { name: 'Clock', text: config.clock },
    ...(isNamed(config) ? [{ name: 'Batch limit', text: describeBatchLimit(config) }] : []),
  ]
}

export function describeDatabase({ dataDir, databaseUrl }: Config): string {
  if (databaseUrl !== undefined) return `PostgreSQL at ${new URL(databaseUrl).host}`
  return dataDir === 'memory' ? 'embedded, in memory: it ends with the process' : `embedded, in ${dataDir}`
}

function isNamed({ serviceName }: Config): boolean {
  return serviceName !== variables.serviceName.preset
}

function describeBatchLimit({ batchMax, batchMaxPerArray }: Config): string {
  return batchMaxPerArray === undefined
    ? `${batchMax} updates in a request to /users/track`
    : `${batchMaxPerArray} updates in each array of a request to /users/track`
}

function describeAdminToken({ adminToken }: Config): string {
  if (adminToken !== undefined) return 'the value of EASEL_ADMIN_TOKEN, as long as the environment gives it'
  return 'the one that was shown once; for another one: npm run easel -- keys reset-admin'
}

function describeMail({ smtpUrl, role }: Config): string {
  if (role === 'http') return 'sent by the processes that do background work'
  return smtpUrl === undefined ? 'kept in the inbox, GET /admin/inbox; SMTP_URL sends it' : describeServer(smtpUrl)
}

/** Returns where text messages go, when there is a provider. */
function describeTexts({ smsUrl, role }: Config): Fact[] {
  if (smsUrl === undefined || role === 'http') return []
  return [{ name: 'Texts', text: providerOf(smsUrl).base }]
}
