import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Fetcher, FetchResponse } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import { isTemporary, tryFetch } from '../../base/fetch/try-fetch.ts'
import { basicAuthorization, type FindCredential, mayBeSentTo } from '../../content/rendering/credential.ts'
import { type File, KeptFiles } from './attachment-cache.ts'
import { extensionOf, judgeType } from './attachment-types.ts'
import type { AttachmentAsked, EmailObject } from './email-object.ts'
import { plainName, urlMistake } from './read-attachments.ts'

/** Of one file, inclusive (specification 2.9). */
export const attachedBytesMax = 2_097_152
/** Of all files of a mail, inclusive: encoded they are 14 MB, which most servers still take. */
export const filesBytesMax = 10_485_760
/** Base64 in lines of 76 characters. */
const encodedRatio = (4 / 3) * (78 / 76)
/** After a failure that may pass. */
const usualPausesMs: readonly number[] = [500]
const fileNameCharactersMax = 255

export type AttachedFile = { readonly filename: string; readonly content_type: string; readonly bytes: Buffer }

/** All files of a mail, or why it must not be sent: a sentence for the ledger, without path or query of any URL. */
export type Attached =
  | { readonly files: readonly AttachedFile[]; readonly warnings: readonly string[] }
  | { readonly failed: string }

/** `asked` is without Liquid by now. Files are fetched once per dispatch and URL, also when many ask at the same time. */
export type FetchAttachments = (asked: readonly AttachmentAsked[], scope: Scope) => Promise<Attached>
type Scope = { readonly workspace_id: number; readonly dispatch_id: string }

export type AttachmentParts = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly findCredential: FindCredential
  /** Milliseconds between attempts. */
  readonly pausesMs?: readonly number[]
}

/** The most bytes that the files of a mail may come to in memory. */
export function filesBytesOf({ attachments = [] }: Pick<EmailObject, 'attachments'>): number {
  return Math.min(attachments.length * attachedBytesMax, filesBytesMax)
}

/** The same, as they are in the mail. */
export function encodedBytesMax(email: Pick<EmailObject, 'attachments'>): number {
  return Math.ceil(filesBytesOf(email) * encodedRatio)
}

/** Gets attachments, by the rules of the specification (2.9) and through the one way out. */
export function openAttachments({
  fetcher,
  clock,
  findCredential,
  pausesMs = usualPausesMs,
}: AttachmentParts): FetchAttachments {
  const kept = new KeptFiles(clock)

  async function ask({ url, basic_auth_credential: name }: AttachmentAsked, workspace_id: number): Promise<File> {
    const { origin } = new URL(url)
    const credential = name === undefined ? undefined : await findCredential(workspace_id, name)
    if (name !== undefined && credential === undefined) return { failed: `there is no credential "${name}"` }
    if (credential && !mayBeSentTo(credential, url)) return { failed: `the credential "${name}" is not for ${origin}` }
    const headers: Record<string, string> = credential ? { authorization: basicAuthorization(credential) } : {}
    for (let attempt = 0; ; attempt++) {
      const answer = await tryFetch(fetcher, url, { headers, bytesMax: attachedBytesMax })
      const pauseMs = pausesMs[attempt]
      if (!isTemporary(answer) || pauseMs === undefined) return judgeAnswer(answer, extensionOf(new URL(url))!)
      await sleep(pauseMs)
    }
  }

  async function fileOf(asked: AttachmentAsked, { workspace_id, dispatch_id }: Scope): Promise<File> {
    const mistake = urlMistake(asked.url)
    if (mistake !== undefined) return { failed: `its url ${mistake}` }
    const key = JSON.stringify([dispatch_id, asked.url, asked.basic_auth_credential])
    return kept.get(key, () => ask(asked, workspace_id))
  }

  return async (asked, scope) => assembled(asked, await Promise.all(asked.map((one) => fileOf(one, scope))))
}

function assembled(asked: readonly AttachmentAsked[], found: readonly File[]): Attached {
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
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) <= filesBytesMax) return { files, warnings }
  return { failed: `attachments: they have more than ${filesBytesMax} bytes together` }
}

/** The name with its extension, which is not said twice; undefined when nothing is left of it. */
export function filenameOf(file_name: string, extension: string): string | undefined {
  const name = plainName(file_name)
  const stem = name.toLowerCase().endsWith(`.${extension}`) ? name.slice(0, -extension.length - 1) : name
  return stem === '' ? undefined : `${[...stem].slice(0, fileNameCharactersMax).join('')}.${extension}`
}

function judgeAnswer(answer: FetchResponse | FetchError, extension: string): File {
  if (answer instanceof FetchError) {
    if (answer.reason === 'too_large') return { failed: `it has more than ${attachedBytesMax} bytes` }
    return { failed: `it was not fetched: ${answer.message}` }
  }
  if (answer.status !== 200) return { failed: `${new URL(answer.url).host} answered with status ${answer.status}` }
  const judged = judgeType(answer.headers['content-type'], extension)
  return 'refused' in judged ? { failed: judged.refused } : { ...judged, bytes: answer.body }
}
