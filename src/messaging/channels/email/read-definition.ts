import { Failure } from '../../../base/errors.ts'
import { isObject } from '../../../people/values/values.ts'
import type { ConfigEntry } from '../../../workspace/file/config-section.ts'
import { joinPath, type Mistake } from '../../../workspace/settings/mistake.ts'
import { checkCredentialOrigins } from '../../mail/credentials-config-section.ts'
import type { EmailObject } from '../../mail/email-object.ts'
import { type EmailContext, emailMembers, readEmail } from '../../mail/read-email-object.ts'
import type { StoredCredential } from '../../mail/secret-schema.ts'
import type { DefinitionNames, ReadDefinition } from '../channel.ts'

/** What an e-mail object may name. `origins`: the origins that each credential may be sent to, by its name; not checked when undefined. */
export type FlowEmailContext = EmailContext & {
  readonly templates: { has(id: string): boolean }
  readonly origins: ReadonlyMap<string, readonly string[]> | undefined
}

/**
 * Reads the e-mail object of a step. Unlike in a request, a member that is unknown or has no effect is a mistake: the author of a file can
 * correct it.
 */
export function readEmailObject(value: unknown, path: string, context: FlowEmailContext): ReadDefinition<EmailObject> {
  if (!isObject(value)) return { mistake: { path, message: 'must be an e-mail object with app_id, from and body' } }
  const unknown = Object.keys(value).find((name) => !emailMembers.has(name))
  if (unknown !== undefined) {
    const message = `is not known here; known are ${[...emailMembers].join(', ')}`
    return { mistake: { path: joinPath(path, unknown), message } }
  }
  if (typeof value.bcc === 'string' && context.settings.bcc.length === 0) {
    const message = 'must be left out: the workspace has no BCC addresses'
    return { mistake: { path: joinPath(path, 'bcc'), message } }
  }
  try {
    const { email } = readEmail(value, path, context)
    if (context.origins) checkCredentialOrigins(email.attachments ?? [], context.origins, `${path}.attachments`)
    const { email_template_id } = email
    if (email_template_id === undefined || context.templates.has(email_template_id)) return { content: email }
    const message = 'must be the id of an email template of this workspace'
    return { mistake: { path: joinPath(path, 'email_template_id'), message } }
  } catch (error) {
    if (error instanceof Failure) return { mistake: mistakeIn(error.message, path) }
    throw error
  }
}

/** Values that are never a mistake, for members of an e-mail object that are required. */
const standIns: Readonly<Record<string, string>> = { app_id: 'any', from: 'Any <any@example.com>', body: 'any' }
/** Mistakes of one e-mail object that are told. */
const emailMistakesMax = 30

/**
 * Returns the mistakes of the e-mail object of a step, each of another member: a member with a mistake is replaced by one without, and the
 * object is read again.
 */
export function emailMistakes(value: unknown, path: string, context: FlowEmailContext): Mistake[] {
  const mistakes: Mistake[] = []
  let rest = value
  for (let i = 0; i < emailMistakesMax; i++) {
    const apps = { has: (id: string) => context.apps.has(id) || mistakes.some((one) => one.path === `${path}.app_id`) }
    const read = readEmailObject(rest, path, { ...context, apps })
    if ('content' in read) break
    mistakes.push(read.mistake)
    const member = memberAt(read.mistake.path, path)
    if (member === undefined || !isObject(rest)) break
    const { [member]: _, ...others } = rest
    const standIn = standIns[member] === undefined ? {} : { [member]: standIns[member] }
    // Without its template a mail would need a body.
    const body = member === 'email_template_id' && isAbsent(others.body) ? { body: standIns.body } : {}
    rest = { ...others, ...standIn, ...body }
  }
  return mistakes
}

/** Returns the member of an e-mail object in which a mistake is; undefined for one of the whole object. */
function memberAt(at: string, path: string): string | undefined {
  const rest = at.slice(path.length)
  if (rest.startsWith('["')) return JSON.parse(/^\["(?:[^"\\]|\\.)*"/.exec(rest)![0].slice(1)) as string
  return /^\.(\w+)/.exec(rest)?.[1]
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

/** Splits a refusal into the path with which it begins and the rest. */
function mistakeIn(message: string, path: string): Mistake {
  const isAbout = message.startsWith(path)
  const full = isAbout ? (/^\S+/.exec(message)?.[0] ?? path) : path
  return { path: full, message: message.slice(isAbout ? full.length : 0).trim() }
}

/** Returns what a new definition may name: the apps, templates and credentials of the workspace file. */
export function namesOfEmails({ settings, others }: DefinitionNames): FlowEmailContext {
  const credentials = others('credentials') as readonly StoredCredential[]
  return {
    settings,
    apps: idsOf(others('apps')),
    templates: idsOf(others('email_templates')),
    origins: new Map(credentials.map(({ name, origins }) => [name, origins])),
  }
}

function idsOf(entries: readonly ConfigEntry[]): ReadonlySet<string> {
  return new Set(entries.map(({ id }) => id))
}

const everything = { has: () => true }

/** Reads a stored definition. It accepts every name: what is named may be deleted by now, which the messages report. */
export function readStoredEmail(value: unknown, path: string): ReadDefinition<EmailObject> {
  const { bcc } = value as { bcc?: string | null }
  const settings: EmailContext['settings'] = {
    bcc: typeof bcc === 'string' ? [bcc] : [],
    attachments_max: Infinity,
    // Without the setting the mail cannot be made, which its message reports.
    from_name: 'any',
  }
  return readEmailObject(value, path, { settings, apps: everything, templates: everything, origins: undefined })
}
