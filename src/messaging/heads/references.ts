import { isObject } from '../../people/values/values.ts'

/** The kinds of things that others can refer to, named as the lists of the workspace file. */
export const referredKinds = [
  'segments',
  'subscription_groups',
  'email_templates',
  'content_blocks',
  'catalogs',
] as const
export type ReferredKind = (typeof referredKinds)[number]

/** What something refers to. `word` is an id, or a name: blocks and catalogs are named, segments may be either. */
export type Reference = { readonly kind: ReferredKind; readonly word: string }

/** Members of definitions that hold an id. */
const idMembers: Readonly<Record<string, ReferredKind>> = {
  segment_id: 'segments',
  subscription_group_id: 'subscription_groups',
  email_template_id: 'email_templates',
}

/** Members whose content a caller chooses freely, so that a member in them is no reference. Texts in them are rendered all the same. */
const freeMembers: ReadonlySet<string> = new Set(['attributes', 'body', 'headers', 'extras'])

/** The most references of one thing that are kept. */
export const referencesMax = 1_000

// What repeats has a limit: a text without the closing sign would else be searched again from each of its characters.
const blockForm = /content_blocks\s{0,9}\.\s{0,9}\$\{([^}]{1,250})\}/g
const catalogForm = /\{%-?\s{0,9}catalog_(?:selection_)?items\s{1,9}(?:"([^"]{1,250})"|'([^']{1,250})'|([\w-]{1,250}))/g

/** Returns what a text with Liquid includes, each once. A text that does not parse may be given. */
export function referencesOfText(text: string): Reference[] {
  const found = new References()
  found.addText(text)
  return found.list()
}

/** Returns what a definition of a flow, or the audience of a segment, refers to, each once. Pure. */
export function referencesOfDefinition(definition: unknown): Reference[] {
  const found = new References()
  found.addValue(definition, false)
  return found.list()
}

class References {
  readonly #found = new Map<string, Reference>()

  addText(text: string): void {
    if (text.includes('content_blocks'))
      for (const [, name] of text.matchAll(blockForm)) this.#add('content_blocks', name!.trim())
    if (!text.includes('catalog_')) return
    for (const [, quoted, single, plain] of text.matchAll(catalogForm))
      this.#add('catalogs', quoted ?? single ?? plain!)
  }

  /** `isFree`: the value is in a member with free content. */
  addValue(value: unknown, isFree: boolean): void {
    if (typeof value === 'string') this.addText(value)
    else if (Array.isArray(value)) for (const each of value) this.addValue(each, isFree)
    else if (isObject(value)) for (const name of Object.keys(value)) this.#addMember(name, value[name], isFree)
  }

  list(): Reference[] {
    return [...this.#found.values()]
  }

  #addMember(name: string, value: unknown, isFree: boolean): void {
    const kind = !isFree && Object.hasOwn(idMembers, name) ? idMembers[name] : undefined
    if (kind !== undefined && typeof value === 'string') this.#add(kind, value)
    else this.addValue(value, isFree || freeMembers.has(name))
  }

  #add(kind: ReferredKind, word: string): void {
    if (this.#found.size < referencesMax) this.#found.set(`${kind} ${word}`, { kind, word })
  }
}
