import { type FileHandle, open } from 'node:fs/promises'
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

/** Serves the file of an export under `/exports/...`. The link authorizes the request. */
export function downloadPages(services: DownloadServices): Page[] {
  return [{ path: filesPath, render: (request) => serve(request, services) }]
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
  const file = await openFile(join(folder, found.object))
  const { size } = await file.stat()
  const headers = {
    'Content-Type': link.object?.endsWith('.zip') ? 'application/zip' : 'application/gzip',
    'Content-Disposition': `attachment; filename="${link.object}"`,
  }
  return { status: 200, headers, body: { stream: file.createReadStream(), bytes: size } }
}

/** Throws 404 for a file that is missing. */
async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    // The job that deletes expired exports may have just deleted it.
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? notFound(exportGone) : error
  }
}
