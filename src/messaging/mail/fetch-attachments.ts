import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Fetcher, FetchResponse } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import { isTemporary, tryFetch } from '../../base/fetch/try-fetch.ts'
import { basicAuthorization, type FindCredential, mayBeSentTo } from '../../content/rendering/credential.ts'
import { AttachmentCache, type FetchedFile } from './attachment-cache.ts'
import { checkContentType, extensionOf } from './attachment-types.ts'
import type { EmailAttachment, EmailObject } from './email-object.ts'
import { fileNameCharactersMax, plainName, urlMistake } from './read-attachments.ts'

/** The largest file (specification 2.9). */
export const attachmentBytesMax = 2_097_152
/** How many files of a mail are fetched at the same time. No more are begun once one failed, or those that came are too large together. */
const filesAtOnce = 5
/** The growth by base64 in lines of 76 characters. */
export const encodedRatio = (4 / 3) * (78 / 76)
/** The pauses before new attempts after temporary failures. */
const usualPausesMs: readonly number[] = [500]

export type AttachedFile = { readonly filename: string; readonly content_type: string; readonly bytes: Buffer }

/** The files of a mail, or why the mail cannot be sent: a sentence for the ledger, without the path or query of a URL. */
export type FetchedAttachments =
  | { readonly files: readonly AttachedFile[]; readonly warnings: readonly string[] }
  | { readonly failed: string }

/** Fetches attachments whose texts are rendered. A file is fetched once for each order and URL, also by concurrent calls. */
export type FetchAttachments = (attachments: readonly EmailAttachment[], scope: Scope) => Promise<FetchedAttachments>
type Scope = {
  readonly workspace_id: number
  readonly dispatch_id: string
  /** The most bytes of all files together, `attachments_bytes_max` of the workspace. */
  readonly bytesMax: number
}

export type AttachmentServices = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly findCredential: FindCredential
  /** The pauses between attempts. */
  readonly pausesMs?: readonly number[]
}

/** Returns the most bytes that the files of a mail can have in memory. `bytesMax`: those of all files together. */
export function attachmentsBytesOf({ attachments = [] }: Pick<EmailObject, 'attachments'>, bytesMax: number): number {
  return Math.min(attachments.length * attachmentBytesMax, bytesMax)
}

/** Returns the most bytes that the files of a mail can have in the mail, encoded. */
export function encodedBytesMax(email: Pick<EmailObject, 'attachments'>, bytesMax: number): number {
  return Math.ceil(attachmentsBytesOf(email, bytesMax) * encodedRatio)
}

/** Opens a fetcher of attachments that keeps the rules of specification 2.9. */
export function openAttachmentFetcher({
  fetcher,
  clock,
  findCredential,
  pausesMs = usualPausesMs,
}: AttachmentServices): FetchAttachments {
  const cache = new AttachmentCache(clock)

  async function fetchFile(
    { url, basic_auth_credential: name }: EmailAttachment,
    workspace_id: number,
  ): Promise<FetchedFile> {
    const { origin } = new URL(url)
    const credential = name === undefined ? undefined : await findCredential(workspace_id, name)
    if (name !== undefined && credential === undefined) return { failed: `there is no credential "${name}"` }
    if (credential && !mayBeSentTo(credential, url)) return { failed: `the credential "${name}" is not for ${origin}` }
    const headers: Record<string, string> = credential ? { authorization: basicAuthorization(credential) } : {}
    for (let attempt = 0; ; attempt++) {
      const answer = await tryFetch(fetcher, url, { headers, bytesMax: attachmentBytesMax })
      const pauseMs = pausesMs[attempt]
      if (!isTemporary(answer) || pauseMs === undefined) return checkAnswer(answer, extensionOf(new URL(url))!)
      await sleep(pauseMs)
    }
  }

  async function fileOf(attachment: EmailAttachment, { workspace_id, dispatch_id }: Scope): Promise<FetchedFile> {
    const mistake = urlMistake(attachment.url)
    if (mistake !== undefined) return { failed: `its url ${mistake}` }
    const key = JSON.stringify([dispatch_id, attachment.url, attachment.basic_auth_credential])
    return cache.get(key, () => fetchFile(attachment, workspace_id))
  }

  return async (attachments, scope) => {
    const found: (FetchedFile | undefined)[] = attachments.map(() => undefined)
    const indexes = attachments.keys()
    let bytesLeft = scope.bytesMax
    const fetchSome = async () => {
      for (const i of indexes) {
        if (bytesLeft < 0) return
        const file = await fileOf(attachments[i]!, scope)
        found[i] = file
        bytesLeft -= 'failed' in file ? Infinity : file.bytes.length
      }
    }
    await Promise.all(Array.from({ length: filesAtOnce }, fetchSome))
    return assembleFiles(attachments, found, scope.bytesMax)
  }
}

/** `found`: undefined for files that were not fetched, because the mail fails without them. */
function assembleFiles(
  attachments: readonly EmailAttachment[],
  found: readonly (FetchedFile | undefined)[],
  bytesMax: number,
): FetchedAttachments {
  const files: AttachedFile[] = []
  const warnings: string[] = []
  for (const [i, { file_name, url }] of attachments.entries()) {
    const file = found[i]
    if (!file) continue
    if ('failed' in file) return { failed: `attachments[${i}]: ${file.failed}` }
    const filename = filenameOf(file_name, extensionOf(new URL(url))!)
    if (filename === undefined) return { failed: `attachments[${i}]: its file_name is empty` }
    if (file.warning !== undefined) warnings.push(`attachments[${i}]: ${file.warning}`)
    files.push({ filename, content_type: file.content_type, bytes: file.bytes })
  }
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) <= bytesMax) return { files, warnings }
  const names = files.map(({ filename }) => filename).join(', ')
  return {
    failed: `attachments: they have more than ${bytesMax} bytes together (settings.attachments_bytes_max): ${names}`,
  }
}

/** Adds the extension to a file name, unless the name has it. Returns undefined if the name is empty. */
export function filenameOf(file_name: string, extension: string): string | undefined {
  const name = plainName(file_name)
  const stem = name.toLowerCase().endsWith(`.${extension}`) ? name.slice(0, -extension.length - 1) : name
  return stem === '' ? undefined : `${[...stem].slice(0, fileNameCharactersMax).join('')}.${extension}`
}

function checkAnswer(answer: FetchResponse | FetchError, extension: string): FetchedFile {
  if (answer instanceof FetchError) {
    if (answer.reason === 'too_large') return { failed: `it has more than ${attachmentBytesMax} bytes` }
    return { failed: `it was not fetched: ${answer.message}` }
  }
  if (answer.status !== 200) return { failed: `${new URL(answer.url).host} answered with status ${answer.status}` }
  const checked = checkContentType(answer.headers['content-type'], extension, answer.body)
  return 'refused' in checked ? { failed: checked.refused } : { ...checked, bytes: answer.body }
}
