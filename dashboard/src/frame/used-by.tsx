import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { formatCount } from '../words/numbers.ts'
import styles from './used-by.module.css'
import { useViewer } from './viewer.tsx'

const kinds = {
  segments: { word: 'segment', path: paths.segment },
  email_templates: { word: 'template', path: paths.template },
  content_blocks: { word: 'block', path: paths.block },
  canvases: { word: 'canvas', path: paths.canvas },
  campaigns: { word: 'campaign', path: paths.campaign },
} as const

export type Users = {
  readonly used_by: readonly { readonly kind: keyof typeof kinds; readonly id: string; readonly name: string }[]
  readonly used_by_count: number
}

/** What uses a thing: links to what the viewer may read, and how much there is besides. */
export function UsedBy({ users: { used_by, used_by_count } }: { users: Users }) {
  const { workspace } = useViewer()
  if (used_by_count === 0) return '-'
  const others = used_by_count - used_by.length
  return (
    <ul className={styles.list}>
      {used_by.map(({ kind, id, name }) => (
        <li key={`${kind} ${id}`} dir="auto">
          <Link to={kinds[kind].path(workspace.id, id)}>
            {kinds[kind].word} {name}
          </Link>
        </li>
      ))}
      {others > 0 && (
        <li>{used_by.length === 0 ? `${formatCount(others)} that you may not see` : `${formatCount(others)} more`}</li>
      )}
    </ul>
  )
}
