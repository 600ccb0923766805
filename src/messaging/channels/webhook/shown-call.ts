import type { ShownMessage } from '../channel.ts'
import type { RenderedRequest } from './request.ts'
import { isSecretHeader } from './secret-header.ts'

/** Stands for the text of a header in what people see. */
export const hidden = '(secret)'

/** Returns a request as the inbox keeps it, with its answer if it was sent: without the texts of secret headers and of credentials. */
export function keptCall({ method, url, headers, body }: RenderedRequest, answer?: string): Buffer {
  const shown = Object.entries(headers).map(([name, value]) => {
    if (typeof value !== 'string') return [name, `(the credential ${value.credential})`]
    return [name, isSecretHeader(name, value) ? hidden : value]
  })
  const kept: KeptCall = {
    ...{ method, url, headers: Object.fromEntries(shown) },
    ...(body !== undefined && { body }),
    ...(answer !== undefined && { answer }),
  }
  return Buffer.from(JSON.stringify(kept))
}

type KeptCall = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
  /** The status and the beginning of the answer. */
  readonly answer?: string
}

/** Takes a kept request apart. */
export async function shownCall(source: Buffer): Promise<ShownMessage> {
  const text = source.toString('utf8')
  const { method, url, headers, body = null, answer } = JSON.parse(text) as KeptCall
  const details = { method, url, ...(answer !== undefined && { answer }) }
  return { from: null, headers, html: null, text: body, attachments: [], details, source: text }
}
