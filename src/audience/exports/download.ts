import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import type { Page, PageReply, PageRequest } from '../../base/http/page.ts'
import { filesPath, readLink } from './link.ts'
import { findObject } from './store.ts'

export type DownloadServices = { db: Db; clock: Clock; secret: Buffer; folder: string }

export const exportNotReady = 'This export is not ready yet'
export const exportFailed = 'This export has failed'
export const exportGone = 'This export is not here any more'

/** `/exports/...`: exports, to whoever has a link that has not expired. */
export function downloadPages(parts: DownloadServices): Page[] {
  return [{ path: filesPath, render: (request) => serve(request, parts) }]
}

async function serve(
  { params, query }: PageRequest,
  { db, clock, secret, folder }: DownloadServices,
): Promise<PageReply> {
  const link = { object: params.object, expires: query.expires?.[0], signature: query.signature?.[0] }
  const found = await findObject(db, readLink(link, clock.elapsed(), secret))
  if (!found) throw notFound(exportGone)
  if (found.state === 'failed') throw notFound(exportFailed)
  if (found.object === null) throw notFound(exportNotReady)
  // The name is one that we have given, whatever the link says.
  const [opened] = await Promise.allSettled([open(join(folder, found.object))])
  if (opened.status === 'rejected') throw opened.reason.code === 'ENOENT' ? notFound(exportGone) : opened.reason
  const { size } = await opened.value.stat()
  const headers = {
    'Content-Type': link.object?.endsWith('.zip') ? 'application/zip' : 'application/gzip',
    'Content-Disposition': `attachment; filename="${link.object}"`,
  }
  return { status: 200, headers, body: { stream: opened.value.createReadStream(), bytes: size } }
}
