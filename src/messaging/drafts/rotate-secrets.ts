import { randomBytes } from 'node:crypto'
import type { Call } from '../../base/call.ts'
import { keyIdOf, wrapKey } from '../../base/root-secrets.ts'
import { resealWebhooks } from '../../people/webhooks/config-store.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { getSealingKey, updateSealingKey } from '../../workspace/settings/installation-store.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { resealHeaders } from '../flows/sealed-header-store.ts'
import { resealSecrets } from '../mail/secret-store.ts'
import { resealDrafts } from './draft-store.ts'

/**
 * Encrypts all secrets with a new sealing key, and that key with this root secret, in one transaction. Afterwards neither the earlier root
 * secret nor an earlier backup opens what is stored now. Returns the key id of the root secret.
 */
export async function rotateSecrets(call: Pick<Call, 'db' | 'clock' | 'actor'>, rootSecret: string): Promise<string> {
  const key_id = keyIdOf(rootSecret)
  await call.db.transaction(async (tx) => {
    await lockConfig(tx)
    const from = await getSealingKey(tx)
    const to = randomBytes(32)
    await resealSecrets(tx, from, to)
    await resealHeaders(tx, from, to)
    await resealWebhooks(tx, from, to)
    await resealDrafts(tx, from, to)
    await updateSealingKey(tx, wrapKey(to, rootSecret))
    await recordAudit(tx, call, { action: 'secrets.rotate', target: { kind: 'secrets', id: key_id } })
  })
  return key_id
}
