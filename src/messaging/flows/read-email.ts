import { Failure } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import { joinPath, type Mistake } from '../../workspace/settings/mistake.ts'
import { checkCredentialOrigins } from '../mail/credentials-config-section.ts'
import type { EmailObject } from '../mail/email-object.ts'
import { type EmailContext, emailMembers, readEmail } from '../mail/read-email-object.ts'

/** What an e-mail object may name. `origins`: where the password of each credential may go, by its name; not judged when undefined. */
export type FlowEmailContext = EmailContext & {
  readonly templates: { has(id: string): boolean }
  readonly origins: ReadonlyMap<string, readonly string[]> | undefined
}

/**
 * The e-mail object of a step. Other than in a request, what is not known or would not be applied is a mistake: who writes a file can
 * put it right.
 */
export function readEmailObject(
  value: unknown,
  path: string,
  context: FlowEmailContext,
): { readonly email: EmailObject } | { readonly mistake: Mistake } {
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
    if (email_template_id === undefined || context.templates.has(email_template_id)) return { email }
    const message = 'must be the id of an email template of this workspace'
    return { mistake: { path: joinPath(path, 'email_template_id'), message } }
  } catch (error) {
    if (error instanceof Failure) return { mistake: mistakeIn(error.message, path) }
    throw error
  }
}

/** A refusal begins with the place that it is about. */
function mistakeIn(message: string, path: string): Mistake {
  const place = message.startsWith(path) ? (/^\S+/.exec(message)?.[0] ?? path) : path
  return { path: place, message: message.slice(message.startsWith(path) ? place.length : 0).trim() }
}
