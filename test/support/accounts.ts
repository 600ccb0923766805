import assert from 'node:assert/strict'
import type { Account, NewAccount } from '../../src/accounts/accounts/account.ts'
import { createAccount } from '../../src/accounts/accounts/accounts.ts'
import { readDeclared } from '../../src/accounts/permissions/declared-store.ts'
import { type Permissions, resolvePermissions } from '../../src/accounts/permissions/permissions.ts'
import { openSession } from '../../src/accounts/sessions/sessions.ts'
import { type Call, systemActor } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import type { Answer, RequestOptions, Service } from './harness.ts'
import { newId } from './people.ts'

const clock = systemClock()

/** The account that creates accounts in tests without a signed-in account. */
export const maker: Pick<Call, 'actor' | 'clock' | 'workspace_id'> = { actor: systemActor, clock, workspace_id: 1 }

/** Resolves permissions that are given in the form of a request. */
export async function resolved(tx: Tx, given: unknown): Promise<Permissions> {
  const answer = resolvePermissions(given, await readDeclared(tx))
  assert.ok('permissions' in answer, JSON.stringify(answer))
  return answer.permissions
}

/** Creates an account, with `permissions` in the form of a request. */
export async function makeAccount(db: Db, permissions: unknown = {}, more: Partial<NewAccount> = {}): Promise<Account> {
  const user_name = `${newId('person')}@example.com`
  const given = { user_name, given_name: 'Ada', family_name: 'Lovelace', permissions: await resolved(db, permissions) }
  return db.transaction((tx) => createAccount(tx, maker, { ...given, ...more }))
}

export type Person = {
  readonly account: Account
  /** The headers of a signed-in browser, including `x-csrf-token`. */
  readonly headers: { readonly [name: string]: string }
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
}

/** Signs in the account of a person. */
export async function signIn(service: Pick<Service, 'send'>, db: Db, account: Account): Promise<Person> {
  const visitor = { ip: '127.0.0.1', request_id: '', agent: 'test' }
  const { token, csrf } = await openSession(db, clock, account, visitor)
  const headers = { cookie: `easel_session=${token}`, 'x-csrf-token': csrf }
  return {
    account,
    headers,
    send: (method, path, body, options) => service.send(method, path, body, { key: null, headers, ...options }),
  }
}
