import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Fetcher, FetchResponse } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import { isTemporary, tryFetch } from '../../base/fetch/try-fetch.ts'
import { basicAuthorization, type FindCredential, mayBeSentTo } from '../../content/rendering/credential.ts'
import { AttachmentCache, type FetchedFile } from './attachment-cache.ts'
import { checkContentType, extensionOf } from './attachment-types.ts'
import type { EmailAttachment, EmailObject } from './email-object.ts'
import { plainName, urlMistake } from './read-attachments.ts'

/** Of one file, inclusive (specification 2.9). */
export const attachmentBytesMax = 2_097_152
/** Of all files of a mail, inclusive: encoded they are 14 MB, which most servers still take. */
export const attachmentsBytesMax = 10_485_760
/** Base64 in lines of 76 characters. */
const encodedRatio = (4 / 3) * (78 / 76)
/** After a failure that may pass. */
const usualPausesMs: readonly number[] = [500]
const fileNameCharactersMax = 255

export type AttachedFile = { readonly filename: string; readonly content_type: string; readonly bytes: Buffer }

/** All files of a mail, or why it must not be sent: a sentence for the ledger, without path or query of any URL. */
export type FetchedAttachments =
  | { readonly files: readonly AttachedFile[]; readonly warnings: readonly string[] }
  | { readonly failed: string }

/** `asked` is without Liquid by now. Files are fetched once per dispatch and URL, also when many ask at the same time. */
export type FetchAttachments = (asked: readonly EmailAttachment[], scope: Scope) => Promise<FetchedAttachments>
type Scope = { readonly workspace_id: number; readonly dispatch_id: string }

export type AttachmentServices = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly findCredential: FindCredential
  /** Milliseconds between attempts. */
  readonly pausesMs?: readonly number[]
}

/** The most bytes that the files of a mail may come to in memory. */
export function attachmentsBytesOf({ attachments = [] }: Pick<EmailObject, 'attachments'>): number {
  return Math.min(attachments.length * attachmentBytesMax, attachmentsBytesMax)
}

/** The same, as they are in the mail. */
export function encodedBytesMax(email: Pick<EmailObject, 'attachments'>): number {
  return Math.ceil(attachmentsBytesOf(email) * encodedRatio)
}

/** Gets attachments, by the rules of the specification (2.9) and through the one way out. */
export function openAttachmentFetcher({
  fetcher,
  clock,
  findCredential,
  pausesMs = usualPausesMs,
}: AttachmentServices): FetchAttachments {
  const kept = new AttachmentCache(clock)

  async function ask(
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
      if (!isTemporary(answer) || pauseMs === undefined) return judgeAnswer(answer, extensionOf(new URL(url))!)
      await sleep(pauseMs)
    }
  }

  async function fileOf(asked: EmailAttachment, { workspace_id, dispatch_id }: Scope): Promise<FetchedFile> {
    const mistake = urlMistake(asked.url)
    if (mistake !== undefined) return { failed: `its url ${mistake}` }
    const key = JSON.stringify([dispatch_id, asked.url, asked.basic_auth_credential])
    return kept.get(key, () => ask(asked, workspace_id))
  }

  return async (asked, scope) => assembled(asked, await Promise.all(asked.map((one) => fileOf(one, scope))))
}

function assembled(asked: readonly EmailAttachment[], found: readonly FetchedFile[]): FetchedAttachments {
  const files: AttachedFile[] = []
  const warnings: string[] = []
  for (const [i, { file_name, url }] of asked.entries()) {
    const file = found[i]!
    if ('failed' in file) return { failed: `attachments[${i}]: ${file.failed}` }
    const filename = filenameOf(file_name, extensionOf(new URL(url))!)
    if (filename === undefined) return { failed: `attachments[${i}]: its file_name is empty` }
    if (file.warning !== undefined) warnings.push(`attachments[${i}]: ${file.warning}`)
    files.push({ filename, content_type: file.content_type, bytes: file.bytes })
  }
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) <= attachmentsBytesMax) return { files, warnings }
  return { failed: `attachments: they have more than ${attachmentsBytesMax} bytes together` }
}

/** The name with its extension, which is not said twice; undefined when nothing is left of it. */
export function filenameOf(file_name: string, extension: string): string | undefined {
  const name = plainName(file_name)
  const stem = name.toLowerCase().endsWith(`.${extension}`) ? name.slice(0, -extension.length - 1) : name
  return stem === '' ? undefined : `${[...stem].slice(0, fileNameCharactersMax).join('')}.${extension}`
}

function judgeAnswer(answer: FetchResponse | FetchError, extension: string): FetchedFile {
  if (answer instanceof FetchError) {
    if (answer.reason === 'too_large') return { failed: `it has more than ${attachmentBytesMax} bytes` }
    return { failed: `it was not fetched: ${answer.message}` }
  }
  if (answer.status !== 200) return { failed: `${new URL(answer.url).host} answered with status ${answer.status}` }
  const judged = checkContentType(answer.headers['content-type'], extension)
  return 'refused' in judged ? { failed: judged.refused } : { ...judged, bytes: answer.body }
}
