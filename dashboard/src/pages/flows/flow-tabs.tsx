import type { ReactNode } from 'react'
import { usePageSearch } from '../../frame/search.ts'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { ConversionsTab } from './conversions-tab.tsx'
import styles from './flow-page.module.css'
import { FlowSteps } from './flow-steps.tsx'
import type { Flow, FlowKind } from './flow-words.ts'
import { PeopleTab } from './people-tab.tsx'
import { VersionsTab } from './versions-tab.tsx'

const labels = {
  picture: 'Picture',
  outline: 'Outline',
  people: 'People',
  versions: 'Versions',
  conversions: 'Conversions',
  overview: 'Settings',
} as const
type TabKey = keyof typeof labels

/** What the tabs keep in the query. Another tab begins without it, but for what picture and outline both have. */
const kept: readonly string[] = ['step', 'state', 'version', 'hours', 'cursor', 'panel', 'before', 'with']
const shared: readonly string[] = ['step', 'version', 'hours']
const views: ReadonlySet<TabKey> = new Set(['picture', 'outline'])

/** A campaign has no ways between its messages, so it needs no outline. */
function tabsOf(kind: FlowKind): Tab<TabKey>[] {
  const all = (Object.keys(labels) as TabKey[]).map((key) => ({ key, label: labels[key] }))
  if (kind === 'canvas') return all
  return all
    .filter(({ key }) => key !== 'outline')
    .map((tab) => (tab.key === 'picture' ? { ...tab, label: 'Variants' } : tab))
}

type FlowTabsProps = { kind: FlowKind; flow: Flow; overview: ReactNode }

/** The parts of a flow: its steps, who is in it, its versions, what it achieves, and how it is written. The open one is in the query. */
export function FlowTabs({ kind, flow: { id, version }, overview }: FlowTabsProps) {
  const [search, change] = usePageSearch<{ tab?: string | undefined }>()
  const tabs = tabsOf(kind)
  const tab = tabs.find(({ key }) => key === search.tab)?.key ?? 'picture'
  const select = (key: TabKey) => {
    const stays = views.has(tab) && views.has(key) ? shared : []
    const none = Object.fromEntries(kept.filter((name) => !stays.includes(name)).map((name) => [name, undefined]))
    change({ ...none, tab: key === 'picture' ? undefined : key }, { replace: true })
  }
  const contents: Readonly<Record<TabKey, () => ReactNode>> = {
    picture: () => <FlowSteps kind={kind} id={id} newest={version} view="picture" />,
    outline: () => <FlowSteps kind={kind} id={id} newest={version} view="outline" />,
    overview: () => <div className={styles.parts}>{overview}</div>,
    people: () => <PeopleTab flow={{ kind, id }} current={version} />,
    versions: () => <VersionsTab flow={{ kind, id }} current={version} />,
    conversions: () => <ConversionsTab flow={{ kind, id }} />,
  }
  return (
    <div className={styles.wide}>
      <Tabs label={`Parts of the ${kind}`} tabs={tabs} selected={tab} onSelect={select}>
        <div className={styles.tab}>{contents[tab]()}</div>
      </Tabs>
    </div>
  )
}
