import { Link } from '@tanstack/react-router'
import type { GetAdminOverviewReply } from '../../api/generated.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { type Family, Mark } from '../../ui/mark.tsx'
import styles from './overview.module.css'

type Attention = GetAdminOverviewReply['attention'][number]

const families: Readonly<Record<Attention['kind'], Family>> = {
  mail_server: 'failed',
  late: 'failed',
  failed_requests: 'failed',
  uncertain: 'uncertain',
  set_aside: 'uncertain',
  paused_canvas: 'held',
  paused_campaign: 'held',
  paused_dispatch: 'held',
}

/** What needs attention, each with the page where it is looked at. */
export function AttentionList({ attention }: { attention: readonly Attention[] }) {
  const { workspace, may } = useViewer()
  if (attention.length === 0) return null
  return (
    <ul className={styles.attention} aria-label="What needs you">
      {attention.map((each) => {
        const page = pageOf(each, workspace.id)
        return (
          <li key={each.kind + (each.id ?? each.sentence)}>
            <Mark family={families[each.kind]}>
              <span dir="auto">{each.sentence}</span>
            </Mark>
            {page && may(page.ability) && <Link to={page.path}>{page.label}</Link>}
          </li>
        )
      })}
    </ul>
  )
}

type Page = { readonly path: string; readonly label: string; readonly ability: string }

function pageOf({ kind, id }: Attention, workspace: string): Page | undefined {
  switch (kind) {
    case 'failed_requests':
      return { path: paths.apiLog(workspace, { status: '5xx' }), label: 'See the requests', ability: 'requests.read' }
    case 'uncertain':
    case 'set_aside':
      return { path: paths.messages(workspace, { state: kind }), label: 'Decide', ability: 'messages.read' }
    case 'paused_dispatch':
      return id === null
        ? undefined
        : { path: paths.send(workspace, id), label: 'See the send', ability: 'messages.read' }
    default:
      return undefined
  }
}
