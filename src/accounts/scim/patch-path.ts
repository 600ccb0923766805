import { parseSelection, type ScimFilter } from './filter.ts'
import { isNotStored, splitSchema } from './path.ts'
import { type Attribute, enterpriseAttributes, enterpriseUser, findAttribute } from './schema.ts'
import { type TextMistake, type Token, tokenize } from './tokens.ts'
import type { ScimMistake } from './values.ts'

/** One attribute of a path; `selection` selects items of a list. */
export type PathStep = { readonly attribute: Attribute; readonly selection?: ScimFilter }

/** What an operation changes: an attribute, by steps from the resource; an attribute that is not stored; or all attributes of a schema. */
export type PatchTarget =
  | { readonly steps: readonly [PathStep, ...PathStep[]] }
  | { readonly isNotStored: true }
  | { readonly isSchema: true; readonly isEnterprise: boolean }

/** Parses `emails[type eq "work"].value` or `name.givenName`, with or without the URN of a schema before it. */
export function parsePatchPath(text: string, among: readonly Attribute[]): PatchTarget | { mistake: ScimMistake } {
  const name = splitSchema(text.trim())
  if (name === undefined) return unknownPath(text)
  const { isEnterprise, rest } = name
  if (rest === '') return name.rest === text.trim() ? unknownPath(text) : { isSchema: true, isEnterprise }
  if (isNotStored(text.trim())) return { isNotStored: true }
  const read = tokenize(rest)
  if ('mistake' in read) return invalidPath(text, rest, read.mistake)
  const steps: PathStep[] = isEnterprise ? [{ attribute: enterpriseUser }] : []
  const start = steps.length
  let inside = isEnterprise ? enterpriseAttributes : among
  let at = 0
  const { tokens } = read
  while (tokens[at]!.kind !== 'end') {
    const token = tokens[at]!
    if (token.kind !== 'word') return unknownPath(text)
    const names = token.text.split('.')
    // After a bracket the word begins with a dot.
    if (steps.length > start && names.shift() !== '') return unknownPath(text)
    for (const each of names) {
      const attribute = findAttribute(inside, each)
      if (attribute === undefined) return unknownPath(text)
      steps.push({ attribute })
      inside = attribute.subAttributes ?? []
    }
    at++
    if (tokens[at]!.kind !== '[') continue
    const { attribute } = steps.pop()!
    const end = closing(tokens, at)
    if (!attribute.multiValued || end === undefined) return unknownPath(text)
    const selection = parseSelection([...tokens.slice(at + 1, end), { kind: 'end', at: tokens[end]!.at }], attribute)
    if ('mistake' in selection) return invalidPath(text, rest, selection.mistake)
    steps.push({ attribute, selection })
    at = end + 1
  }
  const [first, ...more] = steps
  return first === undefined ? unknownPath(text) : { steps: [first, ...more] }
}

function closing(tokens: readonly Token[], from: number): number | undefined {
  const end = tokens.findIndex(({ kind }, i) => i > from && kind === ']')
  return end < 0 ? undefined : end
}

function unknownPath(text: string): { mistake: ScimMistake } {
  return { mistake: { scimType: 'invalidPath', detail: `The path ${quote(text)} is not an attribute` } }
}

function invalidPath(text: string, rest: string, { at, message }: TextMistake): { mistake: ScimMistake } {
  const character = text.trimEnd().length - rest.length + at + 1
  return {
    mistake: {
      scimType: 'invalidPath',
      detail: `The path ${quote(text)} is not valid at character ${character}: ${message}`,
    },
  }
}

const quotedCharactersMax = 100

function quote(text: string): string {
  return JSON.stringify(text.length > quotedCharactersMax ? `${text.slice(0, quotedCharactersMax)}...` : text)
}
