import { useQuery } from '@tanstack/react-query'
import { type GetAdminNamesReply, getAdminNames } from '../api/generated.ts'
import { reading } from '../api/queries.ts'
import type { Option } from '../ui/inline-field.tsx'
import { formatShare } from '../words/numbers.ts'
import { useEditor } from './editor-context.ts'

export type ListedName = GetAdminNamesReply['names'][number]
/** A list of names: attributes, events, products, or the properties of an event. */
export type Suggested = { readonly kind: 'attribute' | 'event' | 'product'; readonly name: string } | PropertyOf
type PropertyOf = { readonly kind: 'property'; readonly of: string; readonly name: string }

/** More names than one answer has. They are asked for by how they begin. */
const listedMax = 100
const freshMs = 60_000

/** Returns the names of a list that begin like the one that is typed, as far as the server knows them. */
export function useNames(suggested: Suggested | undefined): readonly ListedName[] | undefined {
  const { workspace } = useEditor()
  const of = suggested?.kind === 'property' ? suggested.of : undefined
  const isAsked = suggested !== undefined && of !== ''
  const query = { workspace, kind: suggested?.kind ?? 'attribute', ...(of !== undefined && { of }) } as const
  const first = useQuery({ ...reading(getAdminNames(query)), enabled: isAsked, staleTime: freshMs })
  const isFull = (first.data?.names.length ?? 0) >= listedMax
  const narrowed = useQuery({
    ...reading(getAdminNames({ ...query, prefix: suggested?.name ?? '' })),
    enabled: isAsked && isFull && suggested.name !== '',
    staleTime: freshMs,
  })
  if (!isAsked) return undefined
  return narrowed.data?.names ?? first.data?.names
}

/** Returns examples of the values of a name. */
export function useSuggestions(suggested: Suggested | undefined): readonly Option[] {
  const found = useNames(suggested)?.find(({ name }) => name === suggested?.name)
  return (found?.examples ?? []).map((example) => ({ value: String(example), label: String(example) }))
}

/** Returns names as suggestions, each with what is known about it. Pure. */
export function optionsOf(names: readonly ListedName[] | undefined): readonly Option[] {
  return (names ?? []).map((each) => ({ value: each.name, label: `${each.name}: ${noteOf(each)}` }))
}

/** Returns what is known about a name: the types of its values, how many people have it, and examples. Pure. */
export function noteOf({ types, share, examples }: ListedName): string {
  const parts = [
    ...(types.length === 0 ? [] : [types.join(' or ')]),
    `${formatShare(share, 1)} of people`,
    ...(examples.length === 0 ? [] : [`such as ${examples.map((example) => cut(String(example))).join(', ')}`]),
  ]
  return parts.join('; ')
}

const exampleMax = 24

function cut(text: string): string {
  return text.length <= exampleMax ? text : `${text.slice(0, exampleMax).toWellFormed()}...`
}
