import type { Static } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { mayBeSentTo } from '../../content/rendering/credential.ts'
import type { ConfigSection, GivenEntry, ResolvedEntry } from '../../workspace/file/config-section.ts'
import type { EmailAttachment } from './email-object.ts'
import { hasLiquid } from './read-text.ts'
import { CredentialShape, credentialsMax, passwordText, type StoredCredential } from './secret-schema.ts'
import { deleteCredential, findOrigins, insertCredentials, listCredentials, updateCredentials } from './secret-store.ts'

/** `credentials`: what attachments and connected content ask other servers with. A password is never shown again. */
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
  async insert(tx, workspace_id, credentials, at) {
    await insertCredentials(tx, workspace_id, credentials, at)
    return []
  },
  update: updateCredentials,
  endSummary: 'Delete a credential: what is asked with it fails from then on.',
  end: deleteCredential,
}

function resolveCredential(
  given: GivenEntry & { readonly id: string },
  before: StoredCredential | undefined,
): ResolvedEntry<StoredCredential> {
  const { name, user_name, origins, password } = given as unknown as Static<typeof CredentialShape>
  const kept = password ?? before?.password
  if (kept === undefined) {
    return {
      mistake: {
        path: 'password',
        message: `is missing; it must be ${passwordText}`,
      },
    }
  }
  return { entry: { id: given.id, name, user_name, password: kept, origins: origins ?? before?.origins ?? [] } }
}

/** The credentials that attachments name are there, and may be sent where the files are. Throws a 400 that begins with `at`. */
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

/** The same with the origins of the credentials that there are, by name. */
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
