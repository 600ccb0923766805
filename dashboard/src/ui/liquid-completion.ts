import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'

/** The names that are offered while one types. */
export type EditorNames = {
  readonly person: readonly string[]
  /** By what stands before `.${`, such as `custom_attribute`. */
  readonly of: Readonly<Record<string, readonly string[]>>
  readonly roots: readonly string[]
  readonly catalogs: readonly string[]
  /** Ids of items of a catalog, or names of its selections. */
  readonly inCatalog: (catalog: string, what: 'items' | 'selections') => Promise<readonly string[]>
  readonly tags: readonly string[]
  readonly filters: readonly string[]
}

/** Names stand above those of Liquid itself. */
const boost = 50
/** Quoted names may have blanks. */
const catalogName = String.raw`(?:"([^"\n]*)"|'([^'\n]*)'|([\w-]+))`

/**
 * Offers names in `${...}`, and those of catalogs with their items and selections. An editor needs one source for its whole life: an
 * answer of another one is thrown away.
 */
export function nameSource(names: () => EditorNames): CompletionSource {
  return (context) =>
    inValue(context, names()) ??
    afterPipe(context, names()) ??
    ofCatalogs(context, names()) ??
    inCatalog(context, names())
}

/** A root such as `custom_attribute`. It is inserted with its braces, and the names in them are offered. */
export function rootCompletion(label: string): Completion {
  return {
    ...{ label, type: 'variable' },
    apply(view, completion, from, to) {
      write(view, completion, { from, to, insert: `${label}.\${}` }, label.length + 3)
      startCompletion(view)
    },
  }
}

function inValue(context: CompletionContext, names: EditorNames): CompletionResult | null {
  const value = context.matchBefore(/(?:\w+\.)?\$\{[^}\n]*/)
  if (value === null) return null
  const open = value.text.indexOf('${')
  const root = value.text.slice(0, Math.max(open - 1, 0))
  const words = root === '' ? names.person : (names.of[root] ?? [])
  const options = words.map((label): Completion => ({ label, type: 'variable', boost, apply: closeValue }))
  return { from: value.from + open + 2, options, validFor: /^[^}\n]*$/ }
}

/** Offers filters behind `${...}`, where the grammar of Liquid alone finds no value to filter. */
function afterPipe(context: CompletionContext, { filters }: EditorNames): CompletionResult | null {
  const pipe = context.matchBefore(/\$\{[^}\n]*\}[^}%\n]*\|\s*\w*/)
  if (pipe === null) return null
  const from = pipe.from + /\w*$/.exec(pipe.text)!.index
  return { from, options: filters.map((label) => ({ label, type: 'function' })), validFor: /^\w*$/ }
}

/** Inserts a name and its closing brace, unless that is there already, and goes behind it. */
function closeValue(view: EditorView, completion: Completion, from: number, to: number): void {
  const { label } = completion
  const insert = isClosed(view.state, to) ? label : `${label}}`
  write(view, completion, { from, to, insert }, label.length + 1)
}

/** Whether the braces behind a name include its own: those of `{{` are two. */
function isClosed(state: EditorState, at: number): boolean {
  return /^\}*/.exec(state.sliceDoc(at, at + 3))![0].length % 2 === 1
}

type Change = { readonly from: number; readonly to: number; readonly insert: string }

function write(view: EditorView, completion: Completion, changes: Change, forward: number): void {
  view.dispatch({
    changes,
    selection: { anchor: changes.from + forward },
    scrollIntoView: true,
    userEvent: 'input.complete',
    annotations: pickedCompletion.of(completion),
  })
}

function ofCatalogs(context: CompletionContext, { catalogs }: EditorNames): CompletionResult | null {
  const tag = context.matchBefore(/\{%-?\s*catalog_(?:selection_)?items\s+[\w-]*/)
  if (tag === null) return null
  const from = tag.from + /[\w-]*$/.exec(tag.text)!.index
  const options = catalogs.map((label): Completion => {
    return { label, type: 'variable', boost, apply: /^[\w-]+$/.test(label) ? label : `"${label}"` }
  })
  return { from, options, validFor: /^[\w-]*$/ }
}

const itemForm = new RegExp(String.raw`\{%-?\s*catalog_(selection_)?items\s+${catalogName}\s+([\w-]*)$`)

async function inCatalog(context: CompletionContext, names: EditorNames): Promise<CompletionResult | null> {
  const tag = context.matchBefore(itemForm)
  const parts = tag && itemForm.exec(tag.text)
  if (!parts) return null
  const [, selection, double, single, plain, begun = ''] = parts
  const found = await names.inCatalog(double ?? single ?? plain!, selection ? 'selections' : 'items')
  const options = found.map((label): Completion => {
    return { label, type: 'variable', boost, apply: /^[\w-]+$/.test(label) ? label : `"${label}"` }
  })
  return { from: context.pos - begun.length, options, validFor: /^[\w-]*$/ }
}
