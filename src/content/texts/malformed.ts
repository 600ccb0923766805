import { invalid } from '../../base/errors.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import { checkTemplate } from '../liquid/parse.ts'
import { rewriteDialect } from '../liquid/rewrite-dialect.ts'
import { positionOf, type TextPosition } from '../liquid/template-mistake.ts'

/** Throws a 400 with line and column, counted from 1, for a text that does not parse. */
export function refuseMalformed(text: string, message: string, field: string): void {
  const mistake = checkTemplate(text)
  if (mistake === undefined) return
  const { message: reason, line, column } = mistake
  throw invalid(message, [{ field, message: reason, line, column }])
}

/** Returns the same mistake in the format of the workspace file; undefined for a text that parses. */
export function malformedMistake(path: string, text: string): Mistake | undefined {
  const mistake = checkTemplate(text)
  if (mistake === undefined) return undefined
  const { message, line, column } = mistake
  return { path, message: `contains malformed liquid at line ${line}, column ${column}: ${message}` }
}

/** Returns the names of the content blocks that a text includes. The text must parse. */
export function mentionsIn(text: string): string[] {
  return [...rewriteDialect(text).blocks]
}

/** A name in a text, with the place where the text has it first, counted from 1. */
export type Mention = { readonly name: string } & TextPosition

/** Returns the preference centers that a text links to. The text must parse. */
export function centersIn(text: string): Mention[] {
  return [...rewriteDialect(text).centers].map(([name, offset]) => ({ name, ...positionOf(text, offset) }))
}
