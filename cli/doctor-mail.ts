import type { Config } from '../src/base/config.ts'
import { probeSmtp, type SmtpProbe } from '../src/messaging/mail/probe-smtp.ts'
import { describeServer } from '../src/messaging/mail/smtp.ts'
import type { Finding } from './finding.ts'

/** Finds out where mail goes, and what the mail server says. No mail is sent. */
export async function findMail({ smtpUrl }: Pick<Config, 'smtpUrl'>): Promise<Finding> {
  const subject = 'Mail'
  if (smtpUrl === undefined)
    return { subject, ok: true, text: 'kept in the inbox, GET /admin/inbox; SMTP_URL sends it' }
  const server = describeServer(smtpUrl)
  try {
    return { subject, ok: true, text: `${server} ${describeProbe(await probeSmtp(smtpUrl))}` }
  } catch (error) {
    // A mail server that does not answer is a finding.
    const remedy = 'check that it is running, that this machine may reach it, and user and password of SMTP_URL'
    return { subject, ok: false, text: `${server}: ${(error as Error).message}`, remedy }
  }
}

function describeProbe({ greeting, extensions, isEncrypted, isLoggedIn }: SmtpProbe): string {
  return [
    `says "${greeting}"`,
    `offers ${extensions.length === 0 ? 'nothing' : extensions.join(', ')}`,
    isEncrypted ? 'the connection is encrypted' : 'the connection is not encrypted',
    ...(isLoggedIn ? ['user and password are accepted'] : []),
  ].join('; ')
}
