import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { paths } from '../paths.ts'
import styles from './rail.module.css'
import type { ScreenEntry } from './screen.ts'
import { useViewer } from './viewer.tsx'

/** The screens that the viewer may see, by group. */
export function Rail({ screens }: { screens: readonly ScreenEntry[] }) {
  const { may, workspace } = useViewer()
  const groups = Map.groupBy(
    screens.filter(({ ability }) => may(ability)),
    ({ group }) => group,
  )
  return (
    <nav className={styles.rail} aria-label="Screens">
      <Link to={paths.workspace(workspace.id)} className={styles.brand} aria-label="Easel, first page">
        <Easel />
        <span>Easel</span>
      </Link>
      {[...groups].map(([group, entries]) => (
        <Fragment key={group}>
          {group !== '' && <h2 className={styles.group}>{group}</h2>}
          {entries.map(({ label, icon: Icon, path }) => (
            <Link
              key={label}
              to={path(workspace.id)}
              className={styles.link}
              activeProps={{ 'aria-current': 'page' }}
              title={label}
            >
              <Icon size={16} aria-hidden />
              <span>{label}</span>
            </Link>
          ))}
        </Fragment>
      ))}
    </nav>
  )
}

/** The sign of the product: three legs and a canvas. */
function Easel() {
  return (
    <svg viewBox="0 0 16 16" width="20" height="20" fill="none" strokeWidth="1.5" strokeLinecap="round" aria-hidden>
      <path d="M8 1v3M4.5 11 3 15.5M11.5 11 13 15.5M8 11v3" stroke="var(--held)" />
      <rect x="2" y="3.5" width="12" height="7.5" rx="1" stroke="var(--accent)" fill="var(--sheet)" />
    </svg>
  )
}
