import type { Mistake } from '../../workspace/settings/mistake.ts'
import { checkTemplate } from './parse.ts'

/** The mistake of a workspace file whose text is no template; undefined when it is one. */
export function sentenceAbout(path: string, text: string): Mistake | undefined {
  const mistake = checkTemplate(text)
  if (mistake === undefined) return undefined
  const { message, line, column } = mistake
  return { path, message: `contains malformed liquid at line ${line}, column ${column}: ${message}` }
}
