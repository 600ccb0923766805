import type { MailedAccount } from './account-store.ts'

const charactersMax = 254
/** Excludes characters that have a meaning in the header of a mail. */
const form = /^[^\s<>"(),:;\\@\p{C}]+@[^\s<>"(),:;\\@\p{C}]+$/u

/** Whether a text has the form of an e-mail address. */
export function isAddress(text: string): boolean {
  return text.length <= charactersMax && form.test(text)
}

/** Returns the primary e-mail address of an account; its name when none is marked or it cannot be the recipient of a mail. */
export function mailboxOf({ primary_email, user_name }: Pick<MailedAccount, 'primary_email' | 'user_name'>): string {
  return primary_email !== null && isAddress(primary_email) ? primary_email : user_name
}
