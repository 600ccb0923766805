import { useNavigate } from '@tanstack/react-router'
import { CircleUserRound, Search, Terminal } from 'lucide-react'
import { useState } from 'react'
import { root } from '../api/call.ts'
import { paths } from '../paths.ts'
import { Button, buttonClass, IconButton } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import type { ZoneChoice } from '../words/times.ts'
import { chooseTheme, readChoice, type Theme, themes } from './choices.ts'
import styles from './header.module.css'
import { useViewer } from './viewer.tsx'

type HeaderProps = { onFind: () => void; onCurl: () => void; letters: boolean; onLetters: (on: boolean) => void }

/** The line above every page: where one is, how to find something, and who is signed in. */
export function Header({ onFind, onCurl, letters, onLetters }: HeaderProps) {
  const { session, workspace } = useViewer()
  const navigate = useNavigate()
  return (
    <header className={styles.header}>
      <Select
        label="Workspace"
        value={workspace.id}
        options={session.workspaces.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => void navigate({ to: paths.workspace(id) })}
      />
      <Button className={styles.find} onClick={onFind}>
        <Search size={16} aria-hidden />
        Find or do something
        <kbd>Ctrl K</kbd>
      </Button>
      <IconButton label="Copy the request of this page as curl (.)" onClick={onCurl}>
        <Terminal size={16} aria-hidden />
      </IconButton>
      <AccountMenu letters={letters} onLetters={onLetters} />
    </header>
  )
}

function AccountMenu({ letters, onLetters }: Pick<HeaderProps, 'letters' | 'onLetters'>) {
  const { session, workspace, zoneChoice, chooseZone } = useViewer()
  const [theme, setTheme] = useState<Theme>(() => readChoice('theme', themes))
  const zones: Readonly<Record<ZoneChoice, string>> = {
    workspace: `The workspace's (${workspace.time_zone})`,
    mine: 'Mine',
    utc: 'UTC',
  }
  return (
    <details
      className={styles.account}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.removeAttribute('open')}
    >
      <summary className={buttonClass('quiet')} aria-label="Account and preferences">
        <CircleUserRound size={20} aria-hidden />
      </summary>
      <div className={styles.menu}>
        <strong>{session.account?.user_name ?? 'Admin token'}</strong>
        <div className={styles.choice}>
          <Select
            label="Theme"
            shown
            value={theme}
            options={themes.map((name) => ({ value: name, label: name }))}
            onChange={(name) => {
              chooseTheme(name as Theme)
              setTheme(name as Theme)
            }}
          />
        </div>
        <div className={styles.choice}>
          <Select
            label="Time zone"
            shown
            value={zoneChoice}
            options={Object.entries(zones).map(([value, label]) => ({ value, label }))}
            onChange={(choice) => chooseZone(choice as ZoneChoice)}
          />
        </div>
        <label>
          <input type="checkbox" checked={letters} onChange={(event) => onLetters(event.target.checked)} /> Single
          letters are keys
        </label>
        <a href={`${root}docs`}>The interface</a>
        <a href={`${root}sign-out`}>Sign out</a>
      </div>
    </details>
  )
}
