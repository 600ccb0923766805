import { keyIdOf } from '../src/base/root-secrets.ts'
import { advice, type Finding, finding } from './finding.ts'

/**
 * Judges whether the given root secrets, the current one first, open what is stored. `rootKeyId` names the secret that encrypted it; null
 * when none did. Pure.
 */
export function findSecrets(rootKeyId: string | null, given: readonly string[]): Finding {
  const subject = 'Secrets'
  const ids = given.map(keyIdOf)
  if (rootKeyId === null && ids.length > 0)
    return { subject, ok: true, text: 'the next start encrypts stored passwords under EASEL_SECRET' }
  if (rootKeyId === null)
    return advice(
      subject,
      'without EASEL_SECRET: a backup of the database reveals stored passwords and keys',
      'set EASEL_SECRET to 32 characters or more, and keep it in another place than backups',
    )
  const at = ids.indexOf(rootKeyId)
  if (at < 0) {
    const text = `EASEL_SECRET ${given.length === 0 ? 'is missing' : `has the key ids ${ids.join(', ')}`}, and ${rootKeyId} is needed`
    return finding(subject, false, text, 'give the secret that encrypted what is stored: without it no start succeeds')
  }
  if (at === 0) return { subject, ok: true, text: 'EASEL_SECRET opens stored passwords and keys' }
  return advice(subject, 'an earlier secret of EASEL_SECRET opens what is stored', 'run easel secrets rotate')
}
