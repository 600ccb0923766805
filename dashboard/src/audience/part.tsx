import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { problemBeside } from '../draft/mistakes.ts'
import { formatPath, type Path, valueAt } from '../draft/path.ts'
import { Button } from '../ui/button.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { conditionPaths } from './condition-paths.ts'
import { type GroupWord, type Shown, show } from './conditions.ts'
import { useEditor } from './editor-context.ts'
import { JsonPart } from './json-part.tsx'
import styles from './part.module.css'
import { PartCount } from './part-count.tsx'
import { PartTools } from './part-tools.tsx'
import { newCondition, newGroup, withPart } from './tree.ts'
import { WordSelect } from './word-select.tsx'

export type PartProps = {
  path: Path
  /** The numbers of the part and of the groups around it: `[2, 1]` is the first part of the second one. */
  place: readonly number[]
  /** The group around it. */
  within?: GroupWord
  /** How many parts the group has. */
  of?: number
}

/** One part of conditions: a group, or one condition, each of them possibly as its opposite. */
export function Part({ path, place, within, of = 1 }: PartProps) {
  const { edits, mistakes } = useEditor()
  const outer = show(valueAt(edits.document, path))
  const isOpposite = outer.as === 'not'
  const inner = isOpposite ? [...path, 'NOT'] : path
  const shown = isOpposite ? show(outer.part) : outer
  const name = place.length === 0 ? 'All conditions' : `Part ${place.join('.')}`
  const problem = problemBeside(mistakes, path, partPaths(shown, inner))
  return (
    <fieldset className={styles.part} data-part={formatPath(path)} aria-label={name} data-look={shown.as}>
      <div className={styles.line}>
        <Head shown={shown} path={inner} isOpposite={isOpposite} />
        <PartCount path={path} />
        <PartTools path={path} shown={shown} isOpposite={isOpposite} within={within} of={of} place={place} />
      </div>
      {problem !== undefined && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      {shown.as === 'group' && <GroupParts path={inner} word={shown.word} parts={shown.parts} place={place} />}
      {shown.as === 'not' && (
        <div className={styles.inner}>
          <Part path={inner} place={[...place, 1]} />
        </div>
      )}
    </fieldset>
  )
}

/** Returns the paths of what shows its mistakes itself. */
function partPaths(shown: Shown, inner: Path): Path[] {
  if (shown.as === 'group') return shown.parts.map((_, i) => [...inner, shown.word, i])
  if (shown.as === 'condition') return conditionPaths(shown.kind, inner)
  return [inner]
}

function Head({ shown, path, isOpposite }: { shown: Shown; path: Path; isOpposite: boolean }): ReactNode {
  return (
    <div className={styles.head}>
      {isOpposite && <strong className={styles.not}>Not</strong>}
      {shown.as === 'group' && <WordSelect path={path} word={shown.word} />}
      {shown.as === 'condition' && <ConditionFields path={path} kind={shown.kind} members={shown.members} />}
      {shown.as === 'json' && <JsonPart path={path} />}
    </div>
  )
}

type GroupPartsProps = { path: Path; word: GroupWord; parts: readonly unknown[]; place: readonly number[] }

/** The parts of a group, one below the other, and buttons for further ones. */
function GroupParts({ path, word, parts, place }: GroupPartsProps) {
  const { edits, focus } = useEditor()
  const add = (part: unknown) => {
    edits.change((document) => withPart(document, path, part))
    focus([...path, word, parts.length])
  }
  const where = place.length === 0 ? '' : ` to part ${place.join('.')}`
  return (
    <div className={styles.inner}>
      {parts.map((_, i) => {
        const at = [...path, word, i]
        return <Part key={at.join(' ')} path={at} place={[...place, i + 1]} within={word} of={parts.length} />
      })}
      <div className={styles.add}>
        <Button look="quiet" aria-label={`Add a condition${where}`} onClick={() => add(newCondition())}>
          <Plus size={16} aria-hidden />
          condition
        </Button>
        <Button look="quiet" aria-label={`Add a group${where}`} onClick={() => add(newGroup(word))}>
          <Plus size={16} aria-hidden />
          group
        </Button>
      </div>
    </div>
  )
}
