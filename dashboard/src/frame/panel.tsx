import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass, IconButton } from '../ui/button.tsx'
import styles from './panel.module.css'

type SidePanelProps = { title: string; page?: string; onClose: () => void; children: ReactNode }

/** Shows one thing beside a list without leaving it. `page` is where it has a page of its own, if it has one. */
export function SidePanel({ title, page, onClose, children }: SidePanelProps) {
  return (
    <aside className={styles.panel} aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {page !== undefined && (
          <Link to={page} className={buttonClass()}>
            Open as page
          </Link>
        )}
        <IconButton label="Close (Esc)" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className={styles.body}>{children}</div>
    </aside>
  )
}
