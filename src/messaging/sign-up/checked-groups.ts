import { malformedMistake } from '../../content/texts/malformed.ts'
import type { ConfigSection } from '../../workspace/file/config-section.ts'
import type { DoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { SubscriptionGroup } from '../../workspace/settings/store.ts'
import { confirmationMistake } from '../channels/sms/confirmation-text.ts'
import { readMailbox } from '../mail/mailbox.ts'
import { fromMailbox, fromRule, noReplyTo } from '../mail/read-email-object.ts'
import { hasLiquid } from '../mail/read-text.ts'
import { linkVariable } from './confirmation-email.ts'

/** Returns the section of subscription groups with checks of what asks for a confirmation. */
export function checkedGroups(section: ConfigSection<SubscriptionGroup>): ConfigSection<SubscriptionGroup> {
  return {
    ...section,
    resolve(given, before, settings, others) {
      const resolved = section.resolve(given, before, settings, others)
      if ('mistake' in resolved || given.double_opt_in === undefined) return resolved
      const { double_opt_in, channel, id } = resolved.entry
      if (!double_opt_in) return resolved
      const mistake =
        foreignMember(double_opt_in, channel) ??
        (channel === 'email'
          ? findMistake(double_opt_in, settings.from_name)
          : confirmationMistake(double_opt_in, id, settings))
      if (!mistake) return resolved
      return { mistake: { ...mistake, path: `double_opt_in.${mistake.path}` } }
    },
  }
}

/** Members of one channel only. */
const members = {
  email: ['from', 'reply_to', 'subject', 'plaintext_body', 'texts'],
  sms: ['keyword', 'confirmed_reply'],
} as const

/** Returns a member of the other channel. Pure. */
function foreignMember(optIn: DoubleOptIn, channel: SubscriptionGroup['channel']): Mistake | undefined {
  const other = channel === 'email' ? 'sms' : 'email'
  const path = members[other].find((name) => optIn[name] !== undefined)
  return path && { path, message: `is for groups of the channel ${other}` }
}

/** Returns the first mistake of a mail, or undefined. Pure. */
function findMistake(optIn: DoubleOptIn, defaultName: string | undefined): Mistake | undefined {
  const { from = '', reply_to, subject = '', body = '', plaintext_body = '' } = optIn
  if (!hasLiquid(from) && !fromMailbox(from, defaultName)) return { path: 'from', message: fromRule }
  if (reply_to !== undefined && reply_to !== noReplyTo && !readMailbox(reply_to)) {
    return { path: 'reply_to', message: `must be a valid address or ${noReplyTo}` }
  }
  if (/[\r\n]/.test(subject)) return { path: 'subject', message: 'must be one line' }
  const texts = { subject, body, plaintext_body }
  for (const [path, text] of Object.entries(texts)) {
    const mistake = malformedMistake(path, text)
    if (mistake) return mistake
  }
  for (const path of ['body', 'plaintext_body'] as const) {
    if (texts[path] !== '' && !texts[path].includes(linkVariable)) {
      return { path, message: `must have the link: {{\${${linkVariable}}}}` }
    }
  }
  return undefined
}
