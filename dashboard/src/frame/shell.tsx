import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { root } from '../api/call.ts'
import { sessionQuery } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { copyText } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ScreenBoundary } from '../ui/screen-boundary.tsx'
import { Problem } from '../ui/states.tsx'
import { readChoice, storeChoice } from './choices.ts'
import { ClockBar } from './clock-bar.tsx'
import { Failure } from './failure.tsx'
import { feedAsCurl } from './feed.ts'
import { Find } from './find.tsx'
import { Header } from './header.tsx'
import { useKeys } from './keys.ts'
import { Rail } from './rail.tsx'
import type { ScreenEntry } from './screen.ts'
import styles from './shell.module.css'
import { announce, Toasts } from './toast.tsx'
import { useViewer, ViewerProvider } from './viewer.tsx'

/** What stands around every page. It waits for the session, because without one there is nothing to show. */
export function Shell({ screens }: { screens: readonly ScreenEntry[] }) {
  const { workspace: id } = useParams({ strict: false }) as { workspace?: string }
  const last = useRef<string>(undefined)
  const session = useQuery(sessionQuery)
  if (session.isPending) return <div className={styles.frame} aria-busy />
  if (!session.data) {
    return (
      <main className={styles.alone}>
        <Failure error={session.error} onRetry={() => void session.refetch()} />
      </main>
    )
  }
  if (id !== undefined) last.current = id
  // A page of the company keeps the workspace from which the viewer came.
  const at = id ?? last.current
  const workspace = session.data.workspaces.find((each) => each.id === at) ?? session.data.workspaces[0]
  if (!workspace || (id !== undefined && workspace.id !== id)) return <NoWorkspace id={id} />
  return (
    <ViewerProvider key={workspace.id} session={session.data} workspace={workspace}>
      <Frame screens={screens} />
    </ViewerProvider>
  )
}

function NoWorkspace({ id }: { id: string | undefined }) {
  return (
    <main className={styles.alone}>
      <Problem
        isPage
        title={id === undefined ? 'You may not see any workspace' : `You may not see a workspace "${id}"`}
        actions={
          <>
            {id !== undefined && (
              <a className={buttonClass()} href={`${root}dashboard`}>
                First page
              </a>
            )}
            <a className={buttonClass()} href={`${root}sign-out`}>
              Sign out
            </a>
          </>
        }
      >
        An administrator of your company can give you permissions in a workspace.
      </Problem>
    </main>
  )
}

type Overlay = 'palette' | 'keys' | undefined

function Frame({ screens }: { screens: readonly ScreenEntry[] }) {
  const { workspace, may } = useViewer()
  const navigate = useNavigate()
  const { panel } = useSearch({ strict: false }) as { panel?: string }
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [overlay, setOverlay] = useState<Overlay>()
  const [letters, setLetters] = useState(() => readChoice('letters', ['on', 'off']) === 'on')
  const copyCurl = () => void copyFeed().then((sentence) => announce(sentence))
  const readable = screens.filter(({ ability }) => may(ability))
  useKeys({
    goTo: new Map(readable.map(({ letter, path: to }) => [letter, () => void navigate({ to: to(workspace.id) })])),
    openPalette: () => setOverlay('palette'),
    showKeys: () => setOverlay('keys'),
    copyCurl,
    closePanel: () => {
      if (panel !== undefined)
        void navigate({ to: '.', search: (before: object) => ({ ...before, panel: undefined }) } as never)
    },
    letters,
  })
  const setLetterKeys = (on: boolean) => {
    storeChoice('letters', on ? 'on' : 'off')
    setLetters(on)
  }
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <Rail screens={screens} />
      <div>
        <Header onFind={() => setOverlay('palette')} onCurl={copyCurl} letters={letters} onLetters={setLetterKeys} />
        <ClockBar />
        <main id="main" className={styles.main} tabIndex={-1}>
          <ScreenBoundary what="This page" resetKey={path}>
            <Outlet />
          </ScreenBoundary>
        </main>
      </div>
      {overlay === 'palette' && (
        <Find
          screens={screens}
          onCurl={copyCurl}
          onKeys={() => setOverlay('keys')}
          onClose={() => setOverlay((now) => (now === 'palette' ? undefined : now))}
        />
      )}
      {overlay === 'keys' && <KeysDialog screens={readable} onClose={() => setOverlay(undefined)} />}
      <Toasts />
    </div>
  )
}

async function copyFeed(): Promise<string> {
  const command = feedAsCurl()
  if (command === undefined) return 'This page makes no request.'
  return (await copyText(command))
    ? 'Copied. Put the admin token into ADMIN.'
    : 'This browser does not let the page copy.'
}

function KeysDialog({ screens, onClose }: { screens: readonly ScreenEntry[]; onClose: () => void }) {
  const keys = [
    ['Ctrl K', 'Find or do something'],
    ['/', 'Search on this page'],
    ['j  k', 'Next and previous row'],
    ['Enter', 'Open the row'],
    ['Space', 'Show the row beside the list'],
    ['Esc', 'Close what is open'],
    ['.', 'Copy the request of this page as curl'],
    ...screens.map(({ letter, label }) => [`g ${letter}`, label] as const),
    ['?', 'These keys'],
  ] as const
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2 className={styles.dialogTitle}>Keys</h2>
      <dl className={styles.keys}>
        {keys.map(([key, meaning]) => (
          <div key={key} className={styles.contents}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
