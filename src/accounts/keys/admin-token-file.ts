import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileName = 'new-admin-token'
const hashBytes = 32

/**
 * Leaves the hash of a new admin token in the data directory for the server that uses it. Only those who may write to that directory, and
 * could replace the whole database, can do this. Returns whether the server has taken it, and a function that takes it back.
 */
export function leaveAdminToken(dataDir: string, hash: Buffer): { isTaken(): boolean; withdraw(): void } {
  const path = join(dataDir, fileName)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, hash.toString('hex'), { mode: 0o600 })
  renameSync(draft, path)
  return { isTaken: () => !existsSync(path), withdraw: () => rmSync(path, { force: true }) }
}

/** Calls `take` with the hash that was left in the data directory, and then removes it. A file with anything else is removed only. */
export async function takeAdminToken(dataDir: string, take: (hash: Buffer) => Promise<void>): Promise<void> {
  const path = join(dataDir, fileName)
  if (!existsSync(path)) return
  const hash = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
  if (hash.length === hashBytes) await take(hash)
  rmSync(path, { force: true })
}
