import { defineRoute, type Route } from '../../base/http/route.ts'
import type { Backups } from './backups.ts'
import { BackupsReply, BegunReply } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard' } as const
const path = '/admin/backups'

/** Routes to the backups of the whole installation. */
export function installationBackupRoutes({ backups }: { readonly backups: Backups }): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'List the backups in the data directory, and the progress of the one that is being written.',
      ability: 'backups.read',
      reply: { 200: BackupsReply },
      handle: () => backups.read(),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Begin to write a backup of everything into the data directory.',
      ability: 'backups.create',
      reply: { 202: BegunReply },
      refusals: { 409: 'Another backup is being written, or the database is not an embedded one on disk.' },
      handle: async (call) => ({ running: await backups.begin(call) }),
    }),
  ]
}
