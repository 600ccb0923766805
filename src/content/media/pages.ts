import type { Db } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import type { Page, PageReply, PageRequest } from '../../base/http/page.ts'
import { Recent } from '../../base/work/recent.ts'
import { findMediaContent } from './media-store.ts'
import { type MediaExtension, mediaTypes } from './schema.ts'

/** Files in memory, each as large as a file may be: a mail to many people asks for the same ones at once. */
const cachedFilesMax = 8

const fileName = /^([0-9a-f]{64})\.([a-z]{3})$/

/** Serves stored files to everybody who knows their address. A file of an address never changes. */
export function mediaPages({ db }: { readonly db: Db }): Page[] {
  const recent = new Recent<string, Buffer>(cachedFilesMax)
  return [{ path: '/media/{file}', render: (request) => serve(request, db, recent) }]
}

async function serve({ params }: PageRequest, db: Db, recent: Recent<string, Buffer>): Promise<PageReply> {
  const [file = '', hash = '', extension = ''] = fileName.exec(params.file ?? '') ?? []
  if (!isExtension(extension)) throw notFound('Not found')
  const content = recent.get(file) ?? (await findMediaContent(db, hash, extension))
  if (content === undefined) throw notFound('Not found')
  recent.set(file, content)
  return {
    status: 200,
    headers: {
      'Content-Type': mediaTypes[extension],
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      // A browser shows no PDF under this policy.
      ...(extension === 'pdf' && { 'Content-Disposition': `attachment; filename="${file}"` }),
    },
    body: content,
  }
}

function isExtension(text: string): text is MediaExtension {
  return Object.hasOwn(mediaTypes, text)
}
