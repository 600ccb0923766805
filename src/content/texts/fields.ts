import { invalid } from '../../base/errors.ts'
import { isCleanText } from '../../people/values/values.ts'
import { tagCharactersMax, tagsMax } from '../../workspace/settings/schema.ts'
import { tagTexts } from './schema.ts'

/** Returns whether a member of a body counts as absent. Clients may send null for an absent member. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

export function isBlank(value: unknown): boolean {
  return isAbsent(value) || (typeof value === 'string' && value.trim() === '')
}

/** Reads the tags of a block or template; undefined when they are absent. A text that cannot be a tag counts as an unknown tag. */
export function readTags(given: unknown): string[] | undefined {
  if (isAbsent(given)) return undefined
  if (!Array.isArray(given)) throw invalid(tagTexts.notArray)
  if (!given.every((tag) => typeof tag === 'string')) throw invalid(tagTexts.notStrings)
  const tags = [...new Set(given)]
  if (tags.length > tagsMax || !tags.every(isTag)) throw invalid(tagTexts.unknown)
  return tags
}

function isTag(text: string): boolean {
  return text !== '' && text.length <= tagCharactersMax && isCleanText(text)
}

/** Finds a stored text by the id of a request. Throws a 400 when the id is missing, or when there is no such text. */
export async function getText<Row>(
  id: unknown,
  find: (id: string) => Promise<Row | undefined>,
  texts: { readonly idBlank: string; readonly idUnknown: string },
): Promise<Row> {
  if (isAbsent(id) || id === '') throw invalid(texts.idBlank)
  const row = typeof id === 'string' && isCleanText(id) ? await find(id) : undefined
  if (row === undefined) throw invalid(texts.idUnknown)
  return row
}
