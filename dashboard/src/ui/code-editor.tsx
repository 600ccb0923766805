import { autocompletion, type Completion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { closePercentBrace, liquid } from '@codemirror/lang-liquid'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { Decoration, EditorView, keymap, lineNumbers, MatchDecorator, ViewPlugin } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { type EditorNames, nameSource, rootCompletion } from './liquid-completion.ts'

/** A mistake at a place. Lines and columns count from 1. */
export type EditorMistake = { readonly line: number; readonly column: number; readonly message: string }

export type EditorHandle = {
  /** Puts a text where the cursor stands, in place of what is selected. */
  insert(text: string): void
  goTo(line: number, column: number): void
}

type CodeEditorProps = {
  label: string
  value: string
  onChange: (value: string) => void
  mistakes: readonly EditorMistake[]
  names: EditorNames
  /** A field of one line, such as a subject. */
  isOneLine?: boolean
  /** A field of a few lines, such as the text of a push. */
  isShort?: boolean
  readOnly?: boolean
  handle?: Ref<EditorHandle>
}

/** A field for a text with Liquid: coloured, with completion, and with mistakes at their places. */
export default function CodeEditor(props: CodeEditorProps) {
  const { value, mistakes, handle } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  const known = useRef(value)
  useEffect(() => {
    const { label, isOneLine = false, isShort = false, readOnly = false } = latest.current
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: known.current,
        extensions: [
          extensionsOf({ isOneLine, isShort }, () => latest.current.names),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', dir: 'auto' }),
          EditorState.readOnly.of(readOnly),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (!docChanged) return
            const text = state.doc.toString()
            if (text === known.current) return
            known.current = text
            latest.current.onChange(text)
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    const editor = view.current
    if (!editor || value === known.current) return
    known.current = value
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const editor = view.current
    editor?.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, mistakes)))
  }, [mistakes])
  useImperativeHandle(handle, () => ({
    insert(text) {
      const editor = view.current!
      editor.dispatch(editor.state.replaceSelection(text), { scrollIntoView: true })
      editor.focus()
    },
    goTo(line, column) {
      const editor = view.current!
      editor.dispatch({ selection: { anchor: offsetOf(editor.state.doc, line, column) }, scrollIntoView: true })
      editor.focus()
    },
  }))
  return <div ref={place} />
}

function diagnosticsOf(doc: Text, mistakes: readonly EditorMistake[]): Diagnostic[] {
  return mistakes.map(({ line, column, message }) => {
    const from = Math.min(offsetOf(doc, line, column), Math.max(doc.length - 1, 0))
    return { from, to: endOf(doc, from), severity: 'error', message }
  })
}

/** The text of a mistake may have changed since it was found, so the place may be gone. */
function offsetOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return Math.min(from + column - 1, to)
}

/** Returns where what begins at an offset ends: a tag or a value at its braces, else a word. */
function endOf(doc: Text, from: number): number {
  const line = doc.lineAt(from)
  const rest = line.text.slice(from - line.from)
  const length = /^\{\{.*?\}\}+|^\{%.*?%\}|^[\w.]+/.exec(rest)?.[0].length ?? 1
  return Math.min(from + length, doc.length)
}

type EditorSize = { readonly isOneLine: boolean; readonly isShort: boolean }

function extensionsOf({ isOneLine, isShort }: EditorSize, names: () => EditorNames): Extension {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
  const sources = [{ autocomplete: nameSource(names) }]
  const offered = (words: readonly string[], type: string): Completion[] => words.map((label) => ({ label, type }))
  return [
    EditorView.cspNonce.of(nonce),
    history(),
    typing,
    closeBrackets(),
    closePercentBrace,
    liquid({
      base: html(),
      tags: offered(names().tags, 'keyword'),
      filters: offered(names().filters, 'function'),
      variables: names().roots.map(rootCompletion),
    }),
    autocompletion({ icons: false }),
    EditorState.languageData.of(() => sources),
    keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    syntaxHighlighting(colours),
    valuePlaces,
    theme,
    EditorView.lineWrapping,
    isOneLine ? oneLine : isShort ? short : [lineNumbers(), tall],
  ]
}

/** Types over a selection. The browser would style what it puts in its place, which the policy of the page forbids. */
const typing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection
    if (event.inputType !== 'insertText' || event.data === null || view.composing || main.empty) return false
    const text = event.data
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, main.from, main.to, text, insert))) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})

/** Line breaks that are pasted become blanks. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (transaction.newDoc.lines === 1) return transaction
  const insert = transaction.newDoc.toString().replace(/\s*\n\s*/g, ' ')
  return { changes: { from: 0, to: transaction.startState.doc.length, insert }, selection: { anchor: insert.length } }
})

const valueMark = Decoration.mark({ class: 'cm-value' })
const valueMatcher = new MatchDecorator({ regexp: /(?:[\w-]+\.)?\$\{[^}\n]*\}/g, decoration: () => valueMark })

/** Colours `${...}`, which Liquid itself does not have. */
const valuePlaces = ViewPlugin.define(
  (editor) => {
    let decorations = valueMatcher.createDeco(editor)
    return {
      get decorations() {
        return decorations
      },
      update(update) {
        decorations = valueMatcher.updateDeco(update, decorations)
      },
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.operatorKeyword], color: 'var(--uncertain)' },
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--accent)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--held)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--sent)' },
  { tag: [tags.variableName, tags.special(tags.variableName)], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--held)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.brace, tags.punctuation], color: 'var(--uncertain)' },
])

const short = EditorView.theme({ '.cm-content': { minHeight: '96px' } })
const tall = EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: '280px' } })

const theme = EditorView.theme({
  '&': {
    border: '1px solid var(--edge)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--sheet)',
    color: 'var(--ink)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { maxHeight: '60vh', fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '6px 0' },
  '.cm-line': { padding: '0 8px' },
  '.cm-gutters': { border: 'none', backgroundColor: 'var(--ground)', color: 'var(--soft)' },
  '.cm-value': { color: 'var(--accent)', fontWeight: '600' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--failed)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--failed)' },
  '.cm-tooltip': { border: '1px solid var(--line)', backgroundColor: 'var(--sheet)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--ink)' },
  '.cm-diagnostic': { borderLeftColor: 'var(--failed)' },
})
