import { invalid } from '../../base/errors.ts'
import { notValid } from '../../people/values/refusals.ts'
import { characterCount, isCleanText } from '../../people/values/values.ts'
import { isAbsent, isBlank, readTags } from '../texts/fields.ts'
import { mentionsIn, refuseMalformed } from '../texts/malformed.ts'
import type { Block, Mentions } from './block-store.ts'
import {
  blockDescriptionCharactersEnd,
  blockNameCharactersEnd,
  contentBytesEnd,
  states,
  blockTexts as texts,
} from './schema.ts'

/** The most names in the message about a cycle. */
const cycleNamesMax = 10

type Body = Readonly<Record<string, unknown>>

/** The fields of a block in a body; undefined for an absent one. */
export type BlockFields = {
  readonly content: string | undefined
  readonly description: string | undefined
  readonly name: string | undefined
  readonly state: Block['state'] | undefined
  readonly tags: string[] | undefined
}

/** Reads the fields in the order in which the interface lists its error texts. `isNew`: name and content are required. */
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
  if (characterCount(given) >= blockDescriptionCharactersEnd) throw invalid(texts.descriptionTooLong)
  if (!isCleanText(given)) throw invalid(notValid('description'))
  return given
}

function readName(given: unknown, isNew: boolean): string | undefined {
  if (isAbsent(given) && !isNew) return undefined
  if (isBlank(given)) throw invalid(texts.nameBlank)
  if (typeof given !== 'string') throw invalid(texts.nameNotAlphanumeric)
  if (characterCount(given) >= blockNameCharactersEnd) throw invalid(texts.nameTooLong)
  if (!/^[A-Za-z0-9_-]+$/.test(given)) throw invalid(texts.nameNotAlphanumeric)
  return given
}

function readState(given: unknown): Block['state'] | undefined {
  if (isAbsent(given)) return undefined
  const state = states.find((each) => each === given)
  if (state === undefined) throw invalid(texts.badState)
  return state
}

/** Returns the block with the fields of a body. `before` is the stored block. */
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

/** Returns the field that must not change, with the error text. Templates use an active block, so it keeps its name and state. */
export function fixedField(before: Block, after: Block): { path: 'name' | 'state'; text: string } | undefined {
  if (before.state !== 'active') return undefined
  if (after.name !== before.name) return { path: 'name', text: texts.nameFixed }
  return after.state === 'draft' ? { path: 'state', text: texts.stateFixed } : undefined
}

/** Finds a cycle of blocks that include each other, `a -> b -> a`, with this block in it; undefined when there is none. */
export function findCycle(start: Mentions, all: readonly Mentions[]): string | undefined {
  const byName = new Map(all.map((block) => [block.name, block]))
  byName.set(start.name, start)
  const from = new Map<string, string>()
  const open = [start.name]
  for (const name of open) {
    for (const mention of byName.get(name)?.mentions ?? []) {
      if (mention === start.name) return formatCircle([...pathTo(name, from, start.name), mention])
      if (from.has(mention)) continue
      from.set(mention, name)
      open.push(mention)
    }
  }
  return undefined
}

function pathTo(name: string, from: ReadonlyMap<string, string>, start: string): string[] {
  const path = [name]
  while (path[0] !== start) path.unshift(from.get(path[0]!)!)
  return path
}

function formatCircle(names: readonly string[]): string {
  const some = names.length > cycleNamesMax ? [...names.slice(0, cycleNamesMax - 2), '...', names.at(-1)] : names
  return some.join(' -> ')
}
