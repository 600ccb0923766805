import type { Config } from '../src/base/config.ts'
import { probeProvider } from '../src/messaging/channels/sms/probe-provider.ts'
import { providerOf } from '../src/messaging/channels/sms/provider.ts'
import type { Finding } from './finding.ts'

/** Finds out where text messages go, and whether the provider accepts the account. No text is sent. */
export async function findTexts({ smsUrl }: Pick<Config, 'smsUrl'>): Promise<Finding> {
  const subject = 'Texts'
  if (smsUrl === undefined)
    return { subject, ok: true, text: 'kept in the inbox, GET /admin/inbox; SMS_URL sends text messages' }
  const provider = providerOf(smsUrl)
  try {
    const { account } = await probeProvider(provider)
    const said =
      account === 'accepted' ? 'accepts the account' : 'answers, and does not say whether it accepts the account'
    return { subject, ok: true, text: `${provider.base} ${said}` }
  } catch (error) {
    // A provider that does not answer is a finding.
    const remedy = 'check that this machine may reach it, and account and secret of SMS_URL'
    return { subject, ok: false, text: `${provider.base}: ${(error as Error).message}`, remedy }
  }
}
