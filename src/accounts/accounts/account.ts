import type { Permissions } from '../permissions/permissions.ts'

/** An address of an account: of e-mail, or of instant messaging. */
export type AccountAddress = {
  readonly value: string
  readonly type?: string
  readonly primary?: boolean
  readonly display?: string
}

/** An account of the dashboard (specification 2.7). `emails` has at least one entry. In each list at most one entry is primary. */
export type Account = {
  readonly account_id: string
  /** An e-mail address. It is unique without regard to case. SCIM never changes it; an administrator may. */
  readonly user_name: string
  readonly given_name: string
  readonly family_name: string
  readonly department: string | null
  /** Whether the account may sign in. */
  readonly active: boolean
  readonly external_id: string | null
  readonly display_name: string | null
  readonly locale: string | null
  readonly title: string | null
  readonly user_type: string | null
  readonly emails: readonly AccountAddress[]
  /** Addresses of instant messaging. */
  readonly ims: readonly AccountAddress[]
  readonly permissions: Permissions
  /** Rises with every change; the ETag of SCIM. */
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_sign_in_at: Date | null
}

/** The properties of an account that can be changed. An absent property gets its default. */
export type AccountGiven = Pick<Account, 'given_name' | 'family_name'> &
  Partial<
    Pick<
      Account,
      | 'department'
      | 'active'
      | 'external_id'
      | 'display_name'
      | 'locale'
      | 'title'
      | 'user_type'
      | 'emails'
      | 'ims'
      | 'permissions'
    >
  >

/** A change of an account. */
export type AccountChange = AccountGiven & {
  /** Another name. Absent: the name stays. */
  readonly user_name?: string
  /** What the request asked for as well and could not have; for the audit. */
  readonly passedOver?: readonly string[]
}

export type NewAccount = AccountGiven & Pick<Account, 'user_name'>
