import type { Static } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { mayBeSentTo } from '../../content/rendering/credential.ts'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import type { EmailAttachment } from './email-object.ts'
import { hasLiquid } from './read-text.ts'
import { CredentialShape, credentialsMax, originsText, passwordText, type StoredCredential } from './secret-schema.ts'
import { deleteCredential, findOrigins, insertCredentials, listCredentials, updateCredentials } from './secret-store.ts'

/** The section `credentials`: logins for fetching attachments and connected content. A password is never returned. */
export const credentialsSection: ConfigSection<StoredCredential> = {
  name: 'credentials',
  path: 'credentials',
  one: 'credential',
  shape: CredentialShape,
  countMax: credentialsMax,
  counts: () => true,
  list: listCredentials,
  resolve: resolveCredential,
  toReply: ({ password: _hidden, ...credential }) => credential,
  secret: { member: 'password', note: 'is not in this file; add it to apply the file to another installation' },
  async insert(tx, workspace_id, credentials, at) {
    await insertCredentials(tx, workspace_id, credentials, at)
    return []
  },
  update: updateCredentials,
  endSummary: 'Delete a credential. Requests that need it fail from then on.',
  end: deleteCredential,
}

function resolveCredential(
  given: GivenEntry & { readonly id: string },
  before: StoredCredential | undefined,
): EntryResolution<StoredCredential> {
  const {
    name,
    user_name,
    origins = before?.origins ?? [],
    password,
  } = given as unknown as Static<typeof CredentialShape>
  const mistake = (path: string, message: string) => ({ mistake: { path, message } })
  // Credentials of earlier versions may have none.
  if (origins.length === 0) return mistake('origins', `is missing; it must be ${originsText}`)
  const resolved = password ?? before?.password
  if (resolved === undefined) return mistake('password', `is missing; it must be ${passwordText}`)
  const changed = before && password === undefined ? changedReach({ user_name, origins }, before) : undefined
  if (changed !== undefined) {
    return mistake('password', `must be given again, because ${changed} changes; it must be ${passwordText}`)
  }
  return { entry: { id: given.id, name, user_name, password: resolved, origins } }
}

type Reach = Pick<StoredCredential, 'user_name' | 'origins'>

/**
 * Returns the property that changes the receiver or the user name of a password. A caller without the password must not change them,
 * because the password could then be sent to the caller's own server. The order of origins has no meaning.
 */
function changedReach(after: Reach, before: Reach): keyof Reach | undefined {
  if (after.user_name !== before.user_name) return 'user_name'
  return new Set(after.origins).symmetricDifference(new Set(before.origins)).size > 0 ? 'origins' : undefined
}

/** Checks that the credentials of attachments exist and may be sent to the URLs of the files. Throws a 400 that begins with `at`. */
export async function checkCredentials(
  tx: Tx,
  workspace_id: number,
  attachments: readonly EmailAttachment[],
  at: string,
): Promise<void> {
  const names = new Set(attachments.flatMap((one) => one.basic_auth_credential ?? []))
  if (names.size === 0) return
  checkCredentialOrigins(attachments, await findOrigins(tx, workspace_id, [...names]), at)
}

/** Does the same check with the given origins of credentials, by name. */
export function checkCredentialOrigins(
  attachments: readonly EmailAttachment[],
  stored: ReadonlyMap<string, readonly string[]>,
  at: string,
): void {
  for (const [i, { url, basic_auth_credential: name }] of attachments.entries()) {
    if (name === undefined) continue
    const origins = stored.get(name)
    const member = `${at}[${i}].basic_auth_credential`
    if (origins === undefined) throw invalid(`${member} must be the name of a credential of this workspace`)
    if (!hasLiquid(url) && !mayBeSentTo({ origins }, url)) {
      throw invalid(`${member} must be a credential for the origin of the file: this one is for ${origins.join(', ')}`)
    }
  }
}
