import { invalid } from '../../base/errors.ts'
import { notValid } from '../../people/values/refusals.ts'
import { isCleanText } from '../../people/values/values.ts'
import { characters, isAbsent, isBlank, readTags } from '../texts/fields.ts'
import { mentionsIn, refuseMalformed } from '../texts/malformed.ts'
import type { Block, Mentions } from './block-store.ts'
import {
  blockDescriptionCharactersEnd,
  blockNameCharactersEnd,
  contentBytesEnd,
  states,
  blockTexts as texts,
} from './schema.ts'

/** Names of a round that are told. */
const roundNamesMax = 10

type Body = Readonly<Record<string, unknown>>

/** What a body says about a block; what it leaves out is missing. Judged in the order of the interface's texts. */
export type BlockFields = {
  readonly content: string | undefined
  readonly description: string | undefined
  readonly name: string | undefined
  readonly state: Block['state'] | undefined
  readonly tags: string[] | undefined
}

/** `isNew`: name and content have to be there. */
export function readBlockFields(body: Body, isNew: boolean): BlockFields {
  return {
    content: readContent(body.content, isNew),
    description: readDescription(body.description),
    name: readName(body.name, isNew),
    state: readState(body.state),
    tags: readTags(body.tags),
  }
}

function readContent(given: unknown, isNew: boolean): string | undefined {
  if (isAbsent(given) && !isNew) return undefined
  if (isBlank(given)) throw invalid(texts.contentBlank)
  if (typeof given !== 'string') throw invalid(texts.contentNotString)
  if (Buffer.byteLength(given) >= contentBytesEnd) throw invalid(texts.contentTooLarge)
  if (!isCleanText(given)) throw invalid(notValid('content'))
  refuseMalformed(given, texts.malformed, 'content')
  return given
}

function readDescription(given: unknown): string | undefined {
  if (isAbsent(given)) return undefined
  if (isBlank(given)) throw invalid(texts.descriptionBlank)
  if (typeof given !== 'string') throw invalid(texts.descriptionNotString)
  if (characters(given) >= blockDescriptionCharactersEnd) throw invalid(texts.descriptionTooLong)
  if (!isCleanText(given)) throw invalid(notValid('description'))
  return given
}

function readName(given: unknown, isNew: boolean): string | undefined {
  if (isAbsent(given) && !isNew) return undefined
  if (isBlank(given)) throw invalid(texts.nameBlank)
  if (typeof given !== 'string') throw invalid(texts.nameOdd)
  if (characters(given) >= blockNameCharactersEnd) throw invalid(texts.nameTooLong)
  if (!/^[A-Za-z0-9_-]+$/.test(given)) throw invalid(texts.nameOdd)
  return given
}

function readState(given: unknown): Block['state'] | undefined {
  if (isAbsent(given)) return undefined
  const state = states.find((each) => each === given)
  if (state === undefined) throw invalid(texts.badState)
  return state
}

/** A block with what was said about it; `before` is as it is stored. Whoever is active is in use: it keeps name and state. */
export function changedBlock(before: Block | undefined, id: string, fields: BlockFields): Block {
  const content = fields.content ?? before?.content ?? ''
  return {
    id,
    name: fields.name ?? before?.name ?? '',
    description: fields.description ?? before?.description ?? '',
    content,
    mentions: fields.content === undefined ? (before?.mentions ?? []) : mentionsIn(content),
    state: fields.state ?? before?.state ?? 'active',
    tags: fields.tags ?? before?.tags ?? [],
  }
}

/** Why a stored block cannot become another one, and of which field; undefined when it can. */
export function fixedField(before: Block, after: Block): { path: 'name' | 'state'; text: string } | undefined {
  if (before.state !== 'active') return undefined
  if (after.name !== before.name) return { path: 'name', text: texts.nameFixed }
  return after.state === 'draft' ? { path: 'state', text: texts.stateFixed } : undefined
}

/** A way from a block to itself through the blocks that it mentions, `a -> b -> a`; undefined when there is none. */
export function roundFrom(start: Mentions, all: readonly Mentions[]): string | undefined {
  const byName = new Map(all.map((block) => [block.name, block]))
  byName.set(start.name, start)
  const from = new Map<string, string>()
  const open = [start.name]
  for (const name of open) {
    for (const mention of byName.get(name)?.mentions ?? []) {
      if (mention === start.name) return shownRound([...wayTo(name, from, start.name), mention])
      if (from.has(mention)) continue
      from.set(mention, name)
      open.push(mention)
    }
  }
  return undefined
}

function wayTo(name: string, from: ReadonlyMap<string, string>, start: string): string[] {
  const way = [name]
  while (way[0] !== start) way.unshift(from.get(way[0]!)!)
  return way
}

function shownRound(names: readonly string[]): string {
  const shown = names.length > roundNamesMax ? [...names.slice(0, roundNamesMax - 2), '...', names.at(-1)] : names
  return shown.join(' -> ')
}
