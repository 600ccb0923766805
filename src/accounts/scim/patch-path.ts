import { type Filter, parseSelection } from './filter.ts'
import { isUnkept, withoutSchema } from './path.ts'
import { type Attribute, enterpriseAttributes, findAttribute } from './schema.ts'
import { type TextMistake, type Token, tokensOf } from './tokens.ts'
import type { Mistake } from './values.ts'

/** One attribute on the way to what is changed, and which of its items are meant. */
export type Step = { readonly attribute: Attribute; readonly selection?: Filter }

/** Where an operation acts: steps from the resource on; at nothing that is kept; or at a whole schema. */
export type Target =
  | { readonly steps: readonly [Step, ...Step[]] }
  | { readonly isUnkept: true }
  | { readonly isWhole: true }

/** Reads `emails[type eq "work"].value`, `name.givenName`, or either behind the URN of a schema. */
export function readPath(text: string, among: readonly Attribute[]): Target | { mistake: Mistake } {
  const name = withoutSchema(text.trim())
  if (name === undefined) return unknown(text)
  const { isEnterprise, rest } = name
  if (rest === '') return name.rest === text.trim() ? unknown(text) : { isWhole: true }
  if (isUnkept(text.trim())) return { isUnkept: true }
  if (isEnterprise && findAttribute(enterpriseAttributes, rest) === undefined) return unknown(text)
  const read = tokensOf(rest)
  if ('mistake' in read) return misread(text, rest, read.mistake)
  const steps: Step[] = []
  let inside = among
  let at = 0
  const { tokens } = read
  while (tokens[at]!.kind !== 'end') {
    const token = tokens[at]!
    if (token.kind !== 'word') return unknown(text)
    const names = token.text.split('.')
    // Behind a bracket the word begins with its dot.
    if (steps.length > 0 && names.shift() !== '') return unknown(text)
    for (const each of names) {
      const attribute = findAttribute(inside, each)
      if (attribute === undefined) return unknown(text)
      steps.push({ attribute })
      inside = attribute.subAttributes ?? []
    }
    at++
    if (tokens[at]!.kind !== '[') continue
    const { attribute } = steps.pop()!
    const end = closing(tokens, at)
    if (!attribute.multiValued || end === undefined) return unknown(text)
    const selection = parseSelection([...tokens.slice(at + 1, end), { kind: 'end', at: tokens[end]!.at }], attribute)
    if ('mistake' in selection) return misread(text, rest, selection.mistake)
    steps.push({ attribute, selection })
    at = end + 1
  }
  const [first, ...more] = steps
  return first === undefined ? unknown(text) : { steps: [first, ...more] }
}

function closing(tokens: readonly Token[], from: number): number | undefined {
  const end = tokens.findIndex(({ kind }, i) => i > from && kind === ']')
  return end < 0 ? undefined : end
}

function unknown(text: string): { mistake: Mistake } {
  return { mistake: { scimType: 'invalidPath', detail: `The path ${shown(text)} means no attribute` } }
}

function misread(text: string, rest: string, { at, message }: TextMistake): { mistake: Mistake } {
  const place = text.trimEnd().length - rest.length + at + 1
  return {
    mistake: { scimType: 'invalidPath', detail: `The path ${shown(text)} is wrong at character ${place}: ${message}` },
  }
}

const shownMax = 100

function shown(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}...` : text)
}
