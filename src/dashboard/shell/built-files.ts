import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptsCoding } from '../../base/http/accepted.ts'

/** Where `npm start` builds the dashboard (`scripts/prepare-dashboard.mjs`). */
export const builtFolder = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url))

const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** The names that the build gives: a hash and an extension, no folder. */
const assetName = /^[\w-][\w.-]*\.([a-z0-9]+)$/
const codings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

export type BuiltAsset = { readonly body: Buffer; readonly contentType: string; readonly coding?: string }

/** Returns the HTML of the dashboard, with its placeholders; undefined when it is not built. */
export function readShell(folder: string): Promise<string | undefined> {
  return readOrNothing(join(folder, 'index.html')).then((file) => file?.toString())
}

/** Returns why the last build failed, in one line; undefined when no build has failed. */
export function readBuildFailure(folder: string): Promise<string | undefined> {
  return readOrNothing(join(folder, '.failed')).then((file) => file?.toString().trim())
}

/** Returns a hashed file of the build in a coding that the browser accepts; undefined for other names. */
export async function readAsset(
  folder: string,
  name: string,
  acceptEncoding: string | string[] | undefined,
): Promise<BuiltAsset | undefined> {
  const contentType = contentTypes[assetName.exec(name)?.[1] ?? '']
  if (contentType === undefined) return undefined
  const path = join(folder, 'assets', name)
  for (const { name: coding, suffix } of codings) {
    if (acceptEncoding === undefined || !acceptsCoding(acceptEncoding, coding)) continue
    const body = await readOrNothing(path + suffix)
    if (body) return { body, contentType, coding }
  }
  const body = await readOrNothing(path)
  return body && { body, contentType }
}

async function readOrNothing(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
