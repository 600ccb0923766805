import { invalid } from '../../base/errors.ts'
import { notValid } from '../../people/values/refusals.ts'
import { characterCount, isCleanText } from '../../people/values/values.ts'
import { tagCharactersMax } from '../../workspace/settings/schema.ts'
import { isAbsent, isBlank, readTags } from '../texts/fields.ts'
import { lineCharactersMax } from '../texts/lengths.ts'
import { centersIn, type Mention, mentionsIn, refuseMalformed } from '../texts/malformed.ts'
import { allBodyBytesMax, bodyBytesMax, templatesMax, templateTexts as texts } from './schema.ts'
import type { EmailTemplate, TemplatesSize } from './template-store.ts'

type Body = Readonly<Record<string, unknown>>

/** The fields of a template in a body; undefined for an absent one. */
export type TemplateFields = {
  readonly [field in 'name' | 'subject' | 'body' | 'preheader' | 'plaintext_body']: string | undefined
} & { readonly tags: string[] | undefined; readonly should_inline_css: boolean | undefined }

/** The fields that hold Liquid, by their names in requests. */
export const liquidFields = ['subject', 'preheader', 'body', 'plaintext_body'] as const

/** Reads the fields of a body. `isNew`: name, subject and body are required. */
export function readTemplateFields(given: Body, isNew: boolean): TemplateFields {
  const fields = {
    name: readName(given.template_name, isNew),
    subject: readLine(given, 'subject', isNew),
    body: readBody(given, 'body', isNew),
    plaintext_body: readBody(given, 'plaintext_body', false),
    preheader: readLine(given, 'preheader', false),
    tags: readTags(given.tags),
    should_inline_css: readFlag(given.should_inline_css),
  }
  for (const name of liquidFields) {
    const text = fields[name]
    if (text !== undefined) refuseMalformed(text, `'${name}' contains malformed liquid`, name)
  }
  return fields
}

function readName(given: unknown, isNew: boolean): string | undefined {
  if (isAbsent(given) && !isNew) return undefined
  if (isBlank(given)) throw invalid(texts.nameRequired)
  if (typeof given !== 'string' || !isCleanText(given) || /[\r\n]/.test(given)) throw invalid(notValid('template_name'))
  const name = given.trim()
  if (characterCount(name) > tagCharactersMax) {
    throw invalid(`'template_name' must be at most ${tagCharactersMax} characters`)
  }
  return name
}

function readLine(given: Body, name: 'subject' | 'preheader', isRequired: boolean): string | undefined {
  const text = readText(given, name, isRequired)
  if (text !== undefined && characterCount(text) > lineCharactersMax) {
    throw invalid(`'${name}' must be at most ${lineCharactersMax} characters`)
  }
  return text
}

function readBody(given: Body, name: 'body' | 'plaintext_body', isRequired: boolean): string | undefined {
  const text = readText(given, name, isRequired)
  if (text !== undefined && Buffer.byteLength(text) > bodyBytesMax) {
    throw invalid(`'${name}' must be at most ${bodyBytesMax} bytes`)
  }
  return text
}

function readText(given: Body, name: string, isRequired: boolean): string | undefined {
  const text = given[name]
  if (isAbsent(text)) {
    if (isRequired) throw invalid(`'${name}' is required`)
    return undefined
  }
  if (typeof text !== 'string') throw invalid(`'${name}' must be a string`)
  if (!isCleanText(text)) throw invalid(notValid(name))
  if ((name === 'body' || name === 'subject') && isBlank(text)) throw invalid(`'${name}' is required`)
  return text
}

function readFlag(given: unknown): boolean | undefined {
  if (isAbsent(given)) return undefined
  if (typeof given !== 'boolean') throw invalid(texts.badInline)
  return given
}

/** Returns the template with the fields of a body. `before` is the stored template. */
export function changedTemplate(before: EmailTemplate | undefined, id: string, fields: TemplateFields): EmailTemplate {
  return {
    id,
    name: fields.name ?? before?.name ?? '',
    description: before?.description ?? '',
    subject: fields.subject ?? before?.subject ?? '',
    preheader: fields.preheader ?? before?.preheader ?? null,
    body: fields.body ?? before?.body ?? '',
    plaintext_body: fields.plaintext_body ?? before?.plaintext_body ?? null,
    should_inline_css: fields.should_inline_css ?? before?.should_inline_css ?? null,
    tags: fields.tags ?? before?.tags ?? [],
  }
}

/** Names of the content blocks that the fields of a body mention. */
export function mentionsOf(fields: TemplateFields): Set<string> {
  return new Set(liquidFields.flatMap((name) => mentionsIn(fields[name] ?? '')))
}

/** The preference centers that the fields of a body link to, each with its field and its place there. */
export function centerMentionsOf(fields: TemplateFields): (Mention & { readonly field: string })[] {
  return liquidFields.flatMap((field) => centersIn(fields[field] ?? '').map((mention) => ({ field, ...mention })))
}

export function bodyBytesOf({ body, plaintext_body }: EmailTemplate): number {
  return Buffer.byteLength(body) + Buffer.byteLength(plaintext_body ?? '')
}

/** Why a template exceeds the limits of the workspace, with the others measured; undefined when it does not. */
export function limitMessage({ count, bodyBytes }: TemplatesSize, one: EmailTemplate): string | undefined {
  if (count >= templatesMax) return `There are at most ${templatesMax} email templates in a workspace`
  if (bodyBytes + bodyBytesOf(one) <= allBodyBytesMax) return undefined
  return `Email templates of a workspace have at most ${allBodyBytesMax} bytes together`
}
