import { ArrowDown, ArrowUp, Parentheses, X } from 'lucide-react'
import { type Path, withMoved, withValue } from '../draft/path.ts'
import { Button, IconButton } from '../ui/button.tsx'
import type { GroupWord, Shown } from './conditions.ts'
import { useEditor } from './editor-context.ts'
import styles from './part.module.css'
import { withGroupAround, withOpposite, withoutGroup } from './tree.ts'

type PartToolsProps = {
  path: Path
  shown: Shown
  isOpposite: boolean
  /** The group around the part, and how many parts it has. */
  within: GroupWord | undefined
  of: number
  place: readonly number[]
}

/** What can be done with a part: its opposite, its place, a group around it, and its end. */
export function PartTools({ path, shown, isOpposite, within, of, place }: PartToolsProps) {
  const { edits, focus } = useEditor()
  const position = path.at(-1)
  const list = path.slice(0, -1)
  const isListed = within !== undefined && typeof position === 'number'
  const name = place.length === 0 ? 'all conditions' : `part ${place.join('.')}`
  const move = (to: number) => {
    edits.change((document) => withMoved(document, list, position as number, to))
    focus([...list, to])
  }
  const remove = () => {
    edits.change((document) => withValue(document, path, undefined))
    focus(of > 1 ? [...list, Math.max((position as number) - 1, 0)] : list.slice(0, -1))
  }
  return (
    <div className={styles.tools}>
      <Button
        look="quiet"
        aria-pressed={isOpposite}
        aria-label={`Not ${name}`}
        title="The opposite: people who do not meet this condition"
        onClick={() => edits.change((document) => withOpposite(document, path))}
      >
        not
      </Button>
      {isListed && (
        <>
          <IconButton
            label={`Move ${name} up`}
            disabledReason={position === 0 ? 'It is the first.' : undefined}
            onClick={() => move(position - 1)}
          >
            <ArrowUp size={16} aria-hidden />
          </IconButton>
          <IconButton
            label={`Move ${name} down`}
            disabledReason={position === of - 1 ? 'It is the last.' : undefined}
            onClick={() => move(position + 1)}
          >
            <ArrowDown size={16} aria-hidden />
          </IconButton>
        </>
      )}
      <GroupTool path={path} name={name} within={within} isGroup={isListed && shown.as === 'group' && !isOpposite} />
      {isListed && (
        <IconButton label={`Remove ${name}`} onClick={remove}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

type GroupToolProps = { path: Path; name: string; within: GroupWord | undefined; isGroup: boolean }

/** Puts a part into a group of its own, or takes the parts of a group out of it. */
function GroupTool({ path, name, within, isGroup }: GroupToolProps) {
  const { edits, focus } = useEditor()
  const enclose = () => {
    edits.change((document) => withGroupAround(document, path, within === 'AND' ? 'OR' : 'AND'))
    focus(path)
  }
  const dissolve = () => edits.change((document) => withoutGroup(document, path))
  return (
    <IconButton
      label={isGroup ? `Take ${name} out of its group` : `Put ${name} into a group`}
      onClick={isGroup ? dissolve : enclose}
    >
      <Parentheses size={16} aria-hidden />
    </IconButton>
  )
}
