import { Failure, type FailureCode, invalid } from '../../base/errors.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import { tryFetch } from '../../base/fetch/try-fetch.ts'
import { beginsLike } from '../../base/file-signatures.ts'
import { sha256 } from '../../base/ids.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { characterCount, isCleanText, isObject } from '../../people/values/values.ts'
import { isAbsent } from '../texts/fields.ts'
import type { Media } from './media-store.ts'
import { mediaBytesMax, mediaExtensions, mediaNameCharactersMax, mediaTexts as texts } from './schema.ts'

/** Reads the file and the name of a body. A URL is fetched. Throws 400. */
export async function readMedia(body: unknown, fetcher: Pick<Fetcher, 'fetch'>): Promise<Media> {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { asset_url, asset_file } = body
  const [hasUrl, hasFile] = [!isAbsent(asset_url), !isAbsent(asset_file)]
  if (!hasUrl && !hasFile) throw invalid(texts.nothing)
  if (hasUrl && hasFile) throw invalid(texts.both)
  const given = isAbsent(body.name) ? undefined : readName(body.name)
  const content = hasUrl ? await fetchFile(asset_url, fetcher) : readFile(asset_file)
  if (content.length > mediaBytesMax) throw refusal('ASSET_SIZE_EXCEEDS_LIMIT', texts.tooLarge)
  const extension = mediaExtensions.find((each) => beginsLike(each, content))
  if (extension === undefined) throw refusal('UNSUPPORTED_FILE_TYPE', texts.badType)
  const hash = sha256(content).toString('hex')
  const name = given ?? (hasUrl ? nameIn(String(asset_url)) : undefined) ?? `${hash}.${extension}`
  return { hash, extension, name, content }
}

/** Refuses a file with the code that the interface has for the reason. */
export function refusal(code: FailureCode, message: string): Failure {
  return new Failure('invalid', message, { code })
}

async function fetchFile(given: unknown, fetcher: Pick<Fetcher, 'fetch'>): Promise<Buffer> {
  if (typeof given !== 'string') throw invalid(texts.badUrl)
  const answer = await tryFetch(fetcher, given, { bytesMax: mediaBytesMax })
  if (answer instanceof FetchError) {
    if (answer.reason === 'too_large') throw refusal('ASSET_SIZE_EXCEEDS_LIMIT', texts.tooLarge)
    throw refusal('ASSET_UPLOAD_FAILED', `'asset_url' could not be fetched: ${answer.message}`)
  }
  if (answer.status !== 200) {
    throw refusal('ASSET_UPLOAD_FAILED', `'asset_url' could not be fetched: it answered with ${answer.status}`)
  }
  return answer.body
}

function readFile(given: unknown): Buffer {
  const content = typeof given === 'string' ? Buffer.from(given, 'base64') : undefined
  // The decoder skips what is not base64.
  if (content?.toString('base64') !== given || content === undefined) throw invalid(texts.badFile)
  return content
}

function readName(given: unknown): string {
  if (typeof given !== 'string' || !isName(given)) throw invalid(texts.badName)
  return given
}

function isName(text: string): boolean {
  return (
    text.trim() !== '' && characterCount(text) <= mediaNameCharactersMax && isCleanText(text) && !/[\r\n]/.test(text)
  )
}

/** Returns the last part of the path of a URL, if it can be a name. */
function nameIn(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  return isName(last) ? last : undefined
}
