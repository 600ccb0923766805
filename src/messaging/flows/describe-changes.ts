import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../people/values/values.ts'
import { channelNames } from '../channels/channels.ts'
import type { FlowDefinition } from './flow.ts'
import { shownChangesMax, shownValueCharactersMax } from './schema.ts'

/** What differs between two versions, in words: at most `shownChangesMax`. */
export type Changes = { readonly changes: readonly string[]; readonly has_more_changes: boolean }

type Members = Readonly<Record<string, unknown>>

/** Lists whose items have names of their own: of a definition, and of a step. */
const lists = {
  steps: { one: 'Step', key: 'id' },
  messages: { one: 'Message', key: 'name' },
  variants: { one: 'Variant', key: 'name' },
  paths: { one: 'Path', key: 'name' },
} as const

/** Members whose own members are named without them. */
const transparent = () => new Set(['message', ...channelNames()])

const labels: Readonly<Record<string, string>> = {
  from: 'Sender',
  next: 'Next step',
  first: 'First step',
  yes: 'Step after yes',
  no: 'Step after no',
  otherwise: 'Step otherwise',
  for: 'Delay',
  url: 'URL',
}

/** Says what differs between two versions of a flow, as answers show them. Pure. */
export function describeChanges(before: FlowDefinition, after: FlowDefinition): Changes {
  const all = [...changesOf(before, after, '')]
  return { changes: all.slice(0, shownChangesMax), has_more_changes: all.length > shownChangesMax }
}

function* changesOf(before: Members, after: Members, of: string): Generator<string> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [own(before, name), own(after, name)]
    if (isDeepStrictEqual(old, now)) continue
    if (isList(name) && (isItems(old) || isItems(now))) yield* itemChanges(name, asItems(old), asItems(now), of)
    else if (transparent().has(name) && isObject(old) && isObject(now)) yield* changesOf(old, now, of)
    else yield memberChange(`${labelOf(name)}${of}`, old, now)
  }
}

function* itemChanges(
  list: keyof typeof lists,
  before: readonly Members[],
  after: readonly Members[],
  of: string,
): Generator<string> {
  const { one, key } = lists[list]
  const nameOf = (item: Members, i: number) => shown(item[key] ?? item.name ?? item.id ?? i + 1)
  const [old, now] = [before, after].map((items) => new Map(items.map((item, i) => [nameOf(item, i), item]))) as [
    Map<string, Members>,
    Map<string, Members>,
  ]
  for (const name of now.keys()) if (!old.has(name)) yield `${one} ${name}${of} was added`
  for (const name of old.keys()) if (!now.has(name)) yield `${one} ${name}${of} was removed`
  const kept = [...old.keys()].filter((name) => now.has(name))
  const within = list === 'steps' ? '' : ` the ${one.toLowerCase()}`
  for (const name of kept) yield* changesOf(old.get(name)!, now.get(name)!, ` of${within} ${name}${of}`)
  const order = [...now.keys()].filter((name) => old.has(name))
  if (!isDeepStrictEqual(kept, order)) yield `The order of the ${list}${of} changed`
}

function memberChange(what: string, old: unknown, now: unknown): string {
  if (old === undefined) return `${what} was added${isPlain(now) ? `: ${shown(now)}` : ''}`
  if (now === undefined) return `${what} was removed${isPlain(old) ? `: ${shown(old)}` : ''}`
  if (!isPlain(old) || !isPlain(now)) return `${what} changed`
  const [from, to] = [shown(old), shown(now)]
  return from === to
    ? `${what} changed after its first ${shownValueCharactersMax} characters`
    : `${what} changed from ${from} to ${to}`
}

/** The members of a draft may have any names. */
function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return Object.hasOwn(labels, name) ? labels[name]! : words.charAt(0).toUpperCase() + words.slice(1)
}

function isList(name: string): name is keyof typeof lists {
  return Object.hasOwn(lists, name)
}

function isItems(value: unknown): value is Members[] {
  return Array.isArray(value) && value.every(isObject)
}

function asItems(value: unknown): Members[] {
  return isItems(value) ? value : []
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}

/** Returns a value for a sentence, which a long one would drown. */
function shown(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  if (value.length <= shownValueCharactersMax) return JSON.stringify(value)
  return JSON.stringify(`${value.slice(0, shownValueCharactersMax).toWellFormed()}...`)
}
