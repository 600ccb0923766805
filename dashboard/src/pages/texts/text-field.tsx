import { lazy, type ReactNode, Suspense, useRef } from 'react'
import type { PostAdminPreviewReply } from '../../api/generated.ts'
import { Button } from '../../ui/button.tsx'
import type { EditorHandle } from '../../ui/code-editor.tsx'
import type { EditorNames } from '../../ui/liquid-completion.ts'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './texts.module.css'

const CodeEditor = lazy(() => import('../../ui/code-editor.tsx'))

type Mistake = PostAdminPreviewReply['mistakes'][number]

type LiquidFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  names: EditorNames
  /** All mistakes of a preview; the field shows those of `text`. */
  mistakes: readonly Mistake[]
  text: string
  isOneLine?: boolean
  isShort?: boolean
  readOnly?: boolean
  /** Buttons that insert something, drawn above the field. */
  inserts?: (insert: (text: string) => void) => ReactNode
}

/** A text with Liquid, and the mistakes in it. */
export function LiquidField(props: LiquidFieldProps) {
  const { label, value, onChange, names, mistakes, text, inserts } = props
  const { isOneLine = false, isShort = false, readOnly = false } = props
  const editor = useRef<EditorHandle>(null)
  const own = mistakes.filter((mistake) => mistake.text === text)
  const placed = useStable(
    own.flatMap(({ line, column, message, content_block }) =>
      line === null || column === null || content_block !== null ? [] : [{ line, column, message }],
    ),
  )
  return (
    <div className={styles.field}>
      <div className={styles.bar}>
        <span className={styles.label} aria-hidden>
          {label}
        </span>
        {!readOnly && inserts?.((inserted) => editor.current?.insert(inserted))}
      </div>
      <Suspense fallback={isOneLine ? <div className={styles.line} /> : <LoadingRows what="the editor" />}>
        <CodeEditor
          {...{ label, value, onChange, names, isOneLine, isShort, readOnly }}
          mistakes={placed}
          handle={editor}
        />
      </Suspense>
      {own.length > 0 && (
        <ul className={styles.mistakes} aria-label={`Mistakes in ${label}`}>
          {own.map((mistake) => (
            <li key={mistake.message} className={styles.problem}>
              {mistake.line !== null && mistake.column !== null && mistake.content_block === null && (
                <Button look="quiet" onClick={() => editor.current?.goTo(mistake.line!, mistake.column!)}>
                  {mistake.line}:{mistake.column}
                </Button>
              )}{' '}
              {mistake.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Returns the same list while its content is the same, so that effects run once. */
function useStable<T>(list: readonly T[]): readonly T[] {
  const kept = useRef(list)
  if (JSON.stringify(kept.current) !== JSON.stringify(list)) kept.current = list
  return kept.current
}

type InsertMenuProps = { label: string; words: readonly string[]; onInsert: (word: string) => void }

/** A button that opens a list of what can be inserted. */
export function InsertMenu({ label, words, onInsert }: InsertMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  if (words.length === 0) return null
  return (
    <details
      ref={menu}
      className={styles.menu}
      onKeyDown={(event) => event.key === 'Escape' && menu.current?.removeAttribute('open')}
    >
      <summary>{label}</summary>
      <ul>
        {words.map((word) => (
          <li key={word}>
            <Button
              look="quiet"
              onClick={() => {
                menu.current?.removeAttribute('open')
                onInsert(word)
              }}
            >
              {word}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The lists of what texts can name: values of a person, blocks and items of catalogs. */
export function insertMenus(names: EditorNames, insert: (text: string) => void, withBlocks = true): ReactNode {
  const attributes = names.of.custom_attribute ?? []
  const values = [
    ...names.person.map((name) => `\${${name}}`),
    ...attributes.map((name) => `custom_attribute.\${${name}}`),
  ]
  return (
    <>
      <InsertMenu label="Value" words={values} onInsert={(word) => insert(`{{${word}}}`)} />
      {withBlocks && (
        <InsertMenu
          label="Block"
          words={names.of.content_blocks ?? []}
          onInsert={(word) => insert(`{{content_blocks.\${${word}}}}`)}
        />
      )}
      <InsertMenu
        label="Item"
        words={names.catalogs}
        onInsert={(word) => insert(`{% catalog_items ${word} ID %}{{items[0].name}}`)}
      />
    </>
  )
}
