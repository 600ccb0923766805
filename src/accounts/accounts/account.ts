import type { Permissions } from '../permissions/permissions.ts'

export type Email = {
  readonly value: string
  readonly type?: string
  readonly primary?: boolean
  readonly display?: string
}

/** Somebody who may sign in to the dashboard (specification 2.7). `emails` has at least one entry, exactly one of them primary. */
export type Account = {
  readonly account_id: string
  /** An e-mail address; unique whatever its case, and never changed. */
  readonly user_name: string
  readonly given_name: string
  readonly family_name: string
  readonly department: string | null
  /** Whether they may sign in. */
  readonly active: boolean
  readonly external_id: string | null
  readonly display_name: string | null
  readonly locale: string | null
  readonly emails: readonly Email[]
  /** By the ids of what the workspace files declare. */
  readonly permissions: Permissions
  /** Moves with every change: what an ETag says. */
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_sign_in_at: Date | null
}

/** What can be said of an account once it is there. What is absent is as if it were never said; `replaceAccount` says everything anew. */
export type AccountGiven = Pick<Account, 'given_name' | 'family_name'> &
  Partial<Pick<Account, 'department' | 'active' | 'external_id' | 'display_name' | 'locale' | 'emails' | 'permissions'>>

export type NewAccount = AccountGiven & Pick<Account, 'user_name'>
