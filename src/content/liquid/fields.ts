import { type Failure, invalid } from '../../base/errors.ts'
import { isCleanText } from '../../people/values/values.ts'
import { tagCharactersMax, tagsMax } from '../../workspace/settings/schema.ts'
import type { TemplateMistake } from './mistake.ts'
import { checkTemplate } from './parse.ts'
import { rewrite } from './prepass.ts'
import { tagTexts } from './schema.ts'

/** A body member that counts as not given: a client that has nothing to say writes null. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

export function isBlank(value: unknown): boolean {
  return isAbsent(value) || (typeof value === 'string' && value.trim() === '')
}

/** Characters as a person counts them: a surrogate pair is one. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The tags of a block or template; undefined when none were given. What could never be the name of a tag is not found. */
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

/** What keeps a text from being stored as a template: at line and column, counted from 1. */
export function refuseMalformed(text: string, message: string, field: string): void {
  const mistake = checkTemplate(text)
  if (mistake) throw malformed(mistake, message, field)
}

function malformed({ message: reason, line, column }: TemplateMistake, message: string, field: string): Failure {
  return invalid(message, [{ field, message: reason, line, column }])
}

/** Names of the content blocks that a text mentions, which parses. */
export function mentionsIn(text: string): string[] {
  return [...rewrite(text).blocks]
}
