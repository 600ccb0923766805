import type { EmailObject } from '../../mail/email-object.ts'
import { checkEmail, readEmail } from '../../mail/read-email-object.ts'
import type { ContentReader } from '../channel.ts'
import { emailMistakes, namesOfEmails, readEmailObject, readStoredEmail } from './read-definition.ts'

/** Reads e-mail objects (specification 2.9). */
export const emailContent: ContentReader<EmailObject> = {
  read(given, path, workspace) {
    const { email, warnings, lost } = readEmail(given, path, workspace)
    return { content: email, warnings, lost }
  },
  check: (tx, workspace_id, email, path) => checkEmail(tx, workspace_id, email, path),
  forDefinition(names) {
    const context = namesOfEmails(names)
    return {
      read: (given, path) => readEmailObject(given, path, context),
      mistakes: (given, path) => emailMistakes(given, path, context),
    }
  },
  readStored: readStoredEmail,
  standIn: { app_id: '', from: '' },
  remaining: { kept: ['app_id', 'email_template_id', 'message_variation_id'], emptied: ['from'] },
  variationOf: ({ message_variation_id }) => message_variation_id,
  titleOf: ({ subject }) => subject ?? null,
  describe({ subject, email_template_id: template }, cut, templateName) {
    if (subject !== undefined && subject !== '') return `Sends the e-mail ${JSON.stringify(cut(subject))}.`
    if (template === undefined) return 'Sends an e-mail.'
    return `Sends the e-mail of the template ${JSON.stringify(templateName?.(template) ?? template)}.`
  },
  details({ subject, body, from, reply_to, preheader, email_template_id }) {
    return {
      ...(subject !== undefined && { subject }),
      ...(body !== undefined && { body }),
      from,
      ...(reply_to !== undefined && { reply_to }),
      ...(preheader !== undefined && { preheader }),
      ...(email_template_id !== undefined && { email_template_id }),
    }
  },
  filesOf: ({ attachments = [] }) => attachments.length,
  withFiles: (email, files) => ({ ...email, attachments: [...(email.attachments ?? []), ...files] }),
}
