import type { GetAdminAccountsIdReply, GetAdminAccountsReply } from '../../api/generated.ts'
import { Mark } from '../../ui/mark.tsx'

export type Account = GetAdminAccountsIdReply['account']
export type ListedAccount = GetAdminAccountsReply['accounts'][number]

const states = {
  active: { family: 'sent', word: 'active' },
  invited: { family: 'waiting', word: 'invited' },
  disabled: { family: 'held', word: 'disabled' },
} as const

export const stateChoices = [
  { value: 'active', label: 'active: has signed in' },
  { value: 'invited', label: 'invited: has not signed in yet' },
  { value: 'disabled', label: 'disabled' },
]

export function AccountState({ state }: Pick<ListedAccount, 'state'>) {
  const { family, word } = states[state]
  return <Mark family={family}>{word}</Mark>
}

/** Returns the name of a person; the address of one without a name. */
export function nameOf({
  given_name,
  family_name,
  user_name,
}: Pick<Account, 'given_name' | 'family_name' | 'user_name'>) {
  return [given_name, family_name].filter((part) => part !== '').join(' ') || user_name
}
