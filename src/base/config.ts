import { isIP } from 'node:net'
import {
  batchMaxOf,
  dnsServers,
  foreignNames,
  hostsAndNetworks,
  isIssuer,
  isProvider,
  networks,
  oneOf,
  originOf,
  quoted,
  readRootSecrets,
  retention,
  rootSecretsText,
  secret,
  secretLengthMax,
  text,
  token,
  tokenText,
  url,
  wholeNumber,
  withoutSlash,
} from './config-values.ts'
import { pushContradiction, pushVariables } from './push-variables.ts'
import { telemetryContradiction, telemetryVariables } from './telemetry-variables.ts'
import { type Optional, optional, type Preset, preset } from './variable.ts'

const batchMaxMax = 10_000
const smtpConnectionsMax = 1_000

const mailboxForm = /^(?:[^\s<>"@]+@[^\s<>"@]+|[^<>"@\p{C}]+<[^\s<>"@]+@[^\s<>"@]+>)$/u

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Every environment variable of the service. `npm run generate` writes `.env.example` from it. */
export const variables = {
  host: preset({
    name: 'HOST',
    preset: '127.0.0.1',
    meaning: 'The address to listen on; 0.0.0.0 or :: for every network.',
    accepts: 'a host name or an address, without port',
    read: (given) => (isIP(given) || /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(given) ? given : undefined),
  }),
  port: preset({
    name: 'PORT',
    preset: '8080',
    meaning: 'The port to listen on; 0 takes a free one.',
    accepts: 'a whole number from 0 to 65535',
    read: (given) => wholeNumber(given, 0, 65_535),
  }),
  dataDir: preset({
    name: 'EASEL_DATA',
    preset: './data',
    meaning: 'The folder of the embedded database and of everything else on disk; `memory` keeps nothing.',
    accepts: 'a folder, or memory',
    read: text,
  }),
  databaseUrl: optional({
    name: 'DATABASE_URL',
    unset: 'the embedded database is used',
    meaning: 'A PostgreSQL server, version 15 to 18.',
    accepts: 'postgres://user:password@host:port/database',
    secret: true,
    read: (given) => url(given, ['postgres:', 'postgresql:'])?.href && given,
  }),
  apiKey: optional({
    name: 'EASEL_API_KEY',
    unset: 'generated, printed once',
    meaning: 'An API key with every permission, for the default workspace.',
    accepts: tokenText,
    secret: true,
    read: token,
  }),
  adminToken: optional({
    name: 'EASEL_ADMIN_TOKEN',
    unset: 'the token of the installation is valid, which the first start prints once',
    meaning: 'The bearer token for /admin/*, valid as long as it is given here. Give it to every process.',
    accepts: tokenText,
    secret: true,
    read: token,
  }),
  scimToken: optional({
    name: 'EASEL_SCIM_TOKEN',
    unset: 'generated, printed once',
    meaning: 'The bearer token for /scim/*.',
    accepts: tokenText,
    secret: true,
    read: token,
  }),
  rootSecrets: optional({
    name: 'EASEL_SECRET',
    unset: 'secrets are encrypted with a key that is in the database',
    meaning:
      'The root secret: a backup of the database alone reveals no stored password. Earlier ones follow until `easel secrets rotate`.',
    accepts: rootSecretsText,
    secret: true,
    read: readRootSecrets,
  }),
  rootSecretFile: optional({
    name: 'EASEL_SECRET_FILE',
    unset: 'EASEL_SECRET is used',
    meaning: 'A file with the value of EASEL_SECRET, such as a mounted secret.',
    accepts: 'a file',
    read: text,
  }),
  metricsToken: optional({
    name: 'EASEL_METRICS_TOKEN',
    unset: 'only this machine may read /metrics, and nobody when HOST is not a loopback address',
    meaning: 'The bearer token for /metrics.',
    accepts: tokenText,
    secret: true,
    read: token,
  }),
  trustedProxies: preset({
    name: 'EASEL_TRUSTED_PROXIES',
    preset: '',
    meaning:
      'Proxies in front of Easel. Only from them X-Forwarded-For and Forwarded are read; from others the address of the connection counts.',
    accepts: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    read: networks,
  }),
  requestOrigin: optional({
    name: 'EASEL_REQUEST_ORIGIN',
    unset: 'http://HOST:PORT',
    meaning: 'The value of X-Request-Origin that requests with the SCIM token must have.',
    accepts: 'http://host or https://host, without path',
    read: (given) => (url(given, ['http:', 'https:'])?.pathname === '/' ? withoutSlash(given) : undefined),
  }),
  dailyBackups: preset({
    name: 'EASEL_DAILY_BACKUPS',
    preset: '0',
    meaning:
      'How many daily backups of the embedded database are kept in the folder `backups` of `EASEL_DATA`; 0 makes none.',
    accepts: 'a whole number from 0 to 366',
    read: (given) => wholeNumber(given, 0, 366),
  }),
  auditRetention: preset({
    name: 'EASEL_AUDIT_RETENTION',
    preset: 'P2Y',
    meaning: 'How long the audit keeps changes. Accesses are kept for 90 days, refusals for 30 days.',
    accepts: 'an ISO 8601 duration of at least one day, such as P2Y or P90D',
    read: retention,
  }),
  workspaceFile: optional({
    name: 'EASEL_WORKSPACE',
    unset: 'no file is applied',
    meaning: 'A workspace file to apply at start.',
    accepts: 'a YAML or JSON file',
    read: (given) => (/\.(ya?ml|json)$/i.test(given) ? given : undefined),
  }),
  serviceName: preset({
    name: 'EASEL_SERVICE_NAME',
    preset: 'service',
    meaning: 'The word that replaces `service` in `service_id`, `service_ids` and the error texts that contain them.',
    accepts: 'a lower-case word other than external, device, app and user',
    read: (given) => (/^(?!(external|device|app|user)$)[a-z][a-z0-9_]{0,39}$/.test(given) ? given : undefined),
  }),
  batchMax: preset({
    name: 'EASEL_BATCH_MAX',
    preset: '50',
    meaning: 'The largest number of updates in one /users/track request, the three arrays together.',
    accepts: `a whole number from 1 to ${batchMaxMax}`,
    read: (given) => wholeNumber(given, 1, batchMaxMax),
  }),
  batchMaxPerArray: optional({
    name: 'EASEL_BATCH_MAX_PER_ARRAY',
    unset:
      'EASEL_BATCH_MAX is the limit, but 75 in each array when EASEL_SERVICE_NAME is given and EASEL_BATCH_MAX is not',
    meaning: 'The largest number of updates in each of the three arrays; replaces EASEL_BATCH_MAX.',
    accepts: `a whole number from 1 to ${batchMaxMax}`,
    read: (given) => wholeNumber(given, 1, batchMaxMax),
  }),
  smtpUrl: optional({
    name: 'SMTP_URL',
    unset: 'mails go to the inbox, which GET /admin/inbox lists',
    meaning: 'The mail server that sends mails.',
    accepts:
      'smtp://user:password@host:port or smtps://..., with ?requireTLS=true, ?rejectUnauthorized=false or ?name=... after it',
    secret: true,
    read: (given) => url(given, ['smtp:', 'smtps:'])?.href && given,
  }),
  smtpConnections: preset({
    name: 'SMTP_CONNECTIONS',
    preset: '20',
    meaning:
      'Connections of each process to the mail server. After a kill, the outcome of as many mails can be uncertain.',
    accepts: `a whole number from 1 to ${smtpConnectionsMax}`,
    read: (given) => wholeNumber(given, 1, smtpConnectionsMax),
  }),
  smsUrl: optional({
    name: 'SMS_URL',
    unset: 'text messages go to the inbox, which GET /admin/inbox lists',
    meaning: 'The provider that sends text messages, with the account and its secret.',
    accepts: 'https://account:secret@host or http://..., with or without a port and a path',
    secret: true,
    read: (given) => (isProvider(given) ? given : undefined),
  }),
  ...pushVariables,
  publicUrl: optional({
    name: 'PUBLIC_URL',
    unset: 'http://HOST:PORT',
    meaning: 'The base URL of links in mails and of SCIM locations.',
    accepts: 'http://host or https://host, with or without a path',
    read: (given) => (url(given, ['http:', 'https:'])?.search === '' ? withoutSlash(given) : undefined),
  }),
  bounceSmtpPort: optional({
    name: 'BOUNCE_SMTP_PORT',
    unset: 'no listener is opened, and bounces are only known from the webhooks of a mail provider',
    meaning: 'The port where returned mail is received by SMTP; 0 takes a free one.',
    accepts: 'a whole number from 0 to 65535',
    read: (given) => wholeNumber(given, 0, 65_535),
  }),
  bounceDomain: optional({
    name: 'BOUNCE_DOMAIN',
    unset: 'the host of PUBLIC_URL where BOUNCE_SMTP_PORT is set; else the return path of a mail is its sender',
    meaning:
      'The domain of the return path of every mail; its MX record must lead to BOUNCE_SMTP_PORT. Set it in every process.',
    accepts: 'a host name',
    read: (given) => (/^(?=.{1,190}$)[A-Za-z0-9][A-Za-z0-9.-]*$/.test(given) ? given.toLowerCase() : undefined),
  }),
  mailFrom: optional({
    name: 'EASEL_MAIL_FROM',
    unset: 'Easel <easel@...>, at the host of PUBLIC_URL',
    meaning: 'The sender of mails to accounts of the dashboard, such as links to sign in.',
    accepts: 'an address, or a name and an address such as Easel <easel@example.com>',
    read: (given) => (mailboxForm.test(given) ? given : undefined),
  }),
  oidcIssuer: optional({
    name: 'EASEL_OIDC_ISSUER',
    unset: 'signing in by an identity provider is off',
    meaning:
      'The identity provider by which accounts sign in with OpenID Connect. Its redirect URL is PUBLIC_URL/sign-in/oidc/callback.',
    accepts: 'https://host, with or without a path; http:// on this machine only',
    read: (given) => (isIssuer(given) ? given : undefined),
  }),
  oidcClientId: optional({
    name: 'EASEL_OIDC_CLIENT_ID',
    unset: 'signing in by an identity provider is off',
    meaning: 'The client id of Easel at the identity provider.',
    accepts: `1 to ${secretLengthMax} visible characters without spaces`,
    read: secret,
  }),
  oidcClientSecret: optional({
    name: 'EASEL_OIDC_CLIENT_SECRET',
    unset: 'signing in by an identity provider is off',
    meaning: 'The client secret of EASEL_OIDC_CLIENT_ID.',
    accepts: `1 to ${secretLengthMax} visible characters without spaces`,
    secret: true,
    read: secret,
  }),
  oidcEmailVerified: preset({
    name: 'EASEL_OIDC_EMAIL_VERIFIED',
    preset: 'required',
    meaning:
      'Whether the first sign-in of an account needs email_verified from the provider. optional: not sent counts as verified.',
    accepts: 'required or optional',
    read: (given) => oneOf(given, ['required', 'optional']),
  }),
  clock: preset({
    name: 'EASEL_CLOCK',
    preset: 'system',
    meaning: 'The source of time. virtual: time changes only when POST /admin/clock moves it.',
    accepts: 'system or virtual',
    read: (given) => oneOf(given, ['system', 'virtual']),
  }),
  fetchAllow: preset({
    name: 'EASEL_FETCH_ALLOW',
    preset: '',
    meaning: 'Private hosts and networks that attachments, connected content and webhooks may reach.',
    accepts:
      'host names, addresses or networks such as 10.0.0.0/8, separated by commas; :port after one allows that port instead of 80 and 443',
    read: hostsAndNetworks,
  }),
  dnsServers: optional({
    name: 'EASEL_DNS_SERVERS',
    unset: 'the servers of the machine are asked',
    meaning: 'The DNS servers that are asked when the records of a mail domain are checked.',
    accepts: 'addresses such as 192.0.2.53 or 192.0.2.53:5353, separated by commas',
    read: dnsServers,
  }),
  role: preset({
    name: 'EASEL_ROLE',
    preset: 'all',
    meaning:
      'What this process does: answer requests, do background work, or both. Several processes need DATABASE_URL.',
    accepts: 'http, worker or all',
    read: (given) => oneOf(given, ['http', 'worker', 'all']),
  }),
  logLevel: preset({
    name: 'EASEL_LOG',
    preset: 'info',
    meaning: 'The lowest level that is logged.',
    accepts: logLevels.join(', '),
    read: (given) => oneOf(given, logLevels),
  }),
  environment: preset({
    name: 'NODE_ENV',
    preset: 'development',
    meaning: 'production: the log is lines of JSON also on a terminal.',
    accepts: 'one word',
    read: (given) => (/^\w+$/.test(given) ? given : undefined),
  }),
  ...telemetryVariables,
}

type Values = {
  readonly [K in keyof typeof variables]: (typeof variables)[K] extends Preset<infer T>
    ? T
    : (typeof variables)[K] extends Optional<infer T>
      ? T | undefined
      : never
}

/** The checked environment. The names are those of `variables`. */
export type Config = Values & {
  readonly requestOrigin: string
  readonly publicUrl: string
  /** The domain of return paths. Absent: mail has no return path of its own. */
  readonly bounceDomain: string | undefined
  readonly mailFrom: string
}

/** The environment has a value that is not acceptable. The message is one line for the person who starts the service. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

/** Reads and checks the environment, once, at start. An empty value counts as not given. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  refuseUnknown(env)
  const values = Object.fromEntries(Object.entries(variables).map(([key, one]) => [key, valueIn(one, env)])) as Values
  refuseContradictions(values)
  const origin = originOf(values.host, values.port)
  const publicUrl = values.publicUrl ?? origin
  const { hostname } = new URL(publicUrl)
  return Object.freeze({
    ...values,
    requestOrigin: values.requestOrigin ?? origin,
    publicUrl,
    batchMaxPerArray: values.batchMaxPerArray ?? batchMaxOf(values.serviceName, env.EASEL_BATCH_MAX),
    bounceDomain: values.bounceDomain ?? (values.bounceSmtpPort === undefined ? undefined : hostname),
    mailFrom: values.mailFrom ?? `Easel <easel@${hostname}>`,
  })
}

/** Returns whether npm start has started this process. */
export function isNpmStart(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_lifecycle_event === 'start'
}

function valueIn(variable: Preset<unknown> | Optional<unknown>, env: NodeJS.ProcessEnv): unknown {
  const given = env[variable.name]?.trim()
  if (!given) return 'preset' in variable ? variable.read(variable.preset) : undefined
  const value = variable.read(given)
  if (value === undefined) {
    throw new ConfigError(
      `${variable.name}: ${quoted(given, variable.secret)} was given, accepted is ${variable.accepts}`,
    )
  }
  return value
}

function refuseUnknown(env: NodeJS.ProcessEnv): void {
  const known = Object.values(variables).map((variable) => variable.name)
  const unknown = Object.keys(env).find(
    (name) => /^EASEL_/.test(name) && !known.includes(name) && !foreignNames.test(name),
  )
  if (unknown === undefined) return
  const ours = known.filter((name) => name.startsWith('EASEL_')).join(', ')
  throw new ConfigError(`${unknown}: there is no such setting, accepted are ${ours}`)
}

function refuseContradictions(values: Values): void {
  refuseHalfProvider(values)
  const contradiction = telemetryContradiction(values) ?? pushContradiction(values)
  if (contradiction !== undefined) throw new ConfigError(contradiction)
  if (values.rootSecrets && values.rootSecretFile !== undefined)
    throw new ConfigError('EASEL_SECRET_FILE: a value was given, but EASEL_SECRET was too; accepted is one of them')
  const { role, databaseUrl, clock } = values
  if (role === 'all') return
  const given = `EASEL_ROLE: "${role}" was given, but`
  if (databaseUrl === undefined)
    throw new ConfigError(`${given} more than one process needs DATABASE_URL; accepted without it is all`)
  if (clock === 'virtual')
    throw new ConfigError(`${given} EASEL_CLOCK=virtual needs a single process; accepted with it is all`)
}

function refuseHalfProvider({ oidcIssuer, oidcClientId, oidcClientSecret }: Values): void {
  const given = { oidcIssuer, oidcClientId, oidcClientSecret }
  const missing = Object.entries(given).find(([, value]) => value === undefined)?.[0] as keyof typeof given | undefined
  if (missing === undefined || Object.values(given).every((value) => value === undefined)) return
  const { name, accepts } = variables[missing]
  throw new ConfigError(`${name}: no value was given, but other EASEL_OIDC_* were; accepted is ${accepts}`)
}
