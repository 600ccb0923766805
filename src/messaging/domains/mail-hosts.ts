import type { Config } from '../../base/config.ts'
import type { MailHosts } from './expected-records.ts'

/** Returns where an installation with these settings sends mail from. Pure. */
export function mailHostsOf({
  publicUrl,
  bounceDomain,
  smtpUrl,
}: Pick<Config, 'publicUrl' | 'bounceDomain' | 'smtpUrl'>): MailHosts {
  return { publicUrl, bounceDomain, mailServer: smtpUrl === undefined ? undefined : new URL(smtpUrl).hostname }
}
