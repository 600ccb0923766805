import { lineCharactersMax } from '../../content/texts/lengths.ts'
import type { MailBodies } from './encode-bodies.ts'

/** The texts of a mail by their paths in the e-mail object: `subject`, `headers.X-A`, `attachments[0].url`. */
export type EmailTexts = Readonly<Record<string, string>>

/** A rendered text that is not valid. `text` is its path; path and `message` make a sentence. */
export type EmailMistake = { readonly text: string; readonly message: string }

/** The texts that bodies are assembled from. */
export const bodyTexts: readonly string[] = ['body', 'plaintext_body', 'preheader']

/** Assembles the bodies of an e-mail from its rendered texts, or returns the mistake in one of them. */
export function assembleBodies(texts: EmailTexts): MailBodies | EmailMistake {
  const html = (texts.body ?? '').replaceAll('\0', '')
  const text = texts.plaintext_body?.replaceAll('\0', '')
  const isBlank = html.trim() === ''
  const hasText = text !== undefined && text.trim() !== ''
  if (isBlank && !hasText) return { text: 'body', message: 'must not be empty' }
  const preheader = oneLine(texts.preheader ?? '')
  const tooLong = lineTooLong('preheader', preheader)
  if (tooLong) return tooLong
  return { html: isBlank ? '' : html, ...(hasText && { text }), ...(preheader !== '' && { preheader }) }
}

/** Returns a mistake for a rendered line that is too long. The limit is the one for lines in a request. */
export function lineTooLong(name: string, line: string): EmailMistake | undefined {
  if (line.length <= lineCharactersMax || [...line].length <= lineCharactersMax) return undefined
  return { text: name, message: `must be at most ${lineCharactersMax} characters` }
}

/** Makes one line of a rendered text, since Liquid tags leave line breaks and blanks. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
