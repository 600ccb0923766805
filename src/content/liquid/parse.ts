import { type Liquid, LiquidError, type Template as Node, Parser, Tokenizer } from 'liquidjs'
import { openLiquid, templateCharactersMax } from './liquid-instance.ts'
import { standardRoot } from './names.ts'
import type { ParsedTemplate } from './parsed-template.ts'
import { type Rewritten, rewriteDialect } from './rewrite-dialect.ts'
import { queryingTags } from './tags.ts'
import { positionOf, TemplateMistake, type TextPosition } from './template-mistake.ts'

let defaultLiquid: Liquid | undefined

/** Parses a text. Throws a TemplateMistake with the position in the original text. `serviceName` is `EASEL_SERVICE_NAME`. */
export function parseTemplate(text: string, serviceName?: string, liquid?: Liquid): ParsedTemplate {
  if (text.length > templateCharactersMax)
    throw new TemplateMistake(`the text is longer than ${templateCharactersMax} characters`, { line: 1, column: 1 })
  defaultLiquid ??= openLiquid()
  const rewritten = rewriteDialect(text, serviceName)
  try {
    const nodes = parseNodes(rewritten.text, liquid ?? defaultLiquid)
    const positionOf = (error: unknown) => positionIn(text, rewritten, error)
    return {
      nodes,
      blocks: rewritten.blocks,
      queriesSources: queryingPattern.test(rewritten.text),
      asksServers: asksServers(rewritten.text),
      positionOf,
    }
  } catch (error) {
    throw new TemplateMistake(describeError(error), positionIn(text, rewritten, error) ?? { line: 1, column: 1 })
  }
}

/** The engine removes tokens from the front of an array, which is slow for a long one. This array is reversed, and `shift` is `pop`. */
function parseNodes(text: string, liquid: Liquid): Node[] {
  const { operators, groupedExpressions } = liquid.options
  const tokenizer = new Tokenizer(text, operators, undefined, undefined, groupedExpressions)
  const tokens = tokenizer.readTopLevelTokens(liquid.options).reverse()
  return new Parser(liquid).parseTokens(Object.assign(tokens, { shift: Array.prototype.pop }))
}

/** Returns the mistake of a malformed text; undefined for a text that parses. */
export function checkTemplate(text: string): TemplateMistake | undefined {
  try {
    parseTemplate(text)
    return undefined
  } catch (error) {
    if (error instanceof TemplateMistake) return error
    throw error
  }
}

/** Finds the names of tags that query sources. A match elsewhere in the text only makes rendering slower. */
const queryingPattern = new RegExp(`\\b(?:${queryingTags.join('|')})\\b`)

const askingPattern = /\bconnected_content\b/

/** Returns whether a text may ask another server, apart from what it includes. */
export function asksServers(text: string): boolean {
  return askingPattern.test(text)
}

function positionIn(text: string, rewritten: Rewritten, error: unknown): TextPosition | undefined {
  const token = LiquidError.is(error) ? error.token : undefined
  if (token === undefined || token.input !== rewritten.text) return undefined
  return positionOf(text, rewritten.originOf(token.begin))
}

/** The most characters of a message. A message may quote values, and it is stored for each person. */
export const messageCharactersMax = 1000
const enginePosition = /(?:, file:.*)?, line:\d+, col:\d+$/
const standardName = new RegExp(`${standardRoot}\\[\\\\?"(.*?)\\\\?"\\]`, 'g')
const memberName = /(\w)\[\\?"(.*?)\\?"\]/g

/** Returns the message of an error, without the position of the engine, and with names as in templates. */
export function describeError(error: unknown): string {
  if (LiquidError.is(error) && error.originalError) return describeError(error.originalError)
  if (error instanceof RangeError && error.message.includes('call stack')) return 'the template is nested too deeply'
  const text = error instanceof Error ? error.message.replace(enginePosition, '') : String(error)
  const message = text.slice(0, messageCharactersMax)
  return message.replace(standardName, '$${$1}').replace(memberName, '$1.$${$2}')
}
