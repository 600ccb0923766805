import type { ReactNode } from 'react'
import { usePageSearch } from '../../frame/search.ts'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { ConversionsTab } from './conversions-tab.tsx'
import styles from './flow-page.module.css'
import type { Flow, FlowKind } from './flow-words.ts'
import { PeopleTab } from './people-tab.tsx'
import { VersionsTab } from './versions-tab.tsx'

const tabs = [
  { key: 'overview', label: 'Overview' },
  { key: 'people', label: 'People' },
  { key: 'versions', label: 'Versions' },
  { key: 'conversions', label: 'Conversions' },
] as const satisfies readonly Tab<string>[]
type TabKey = (typeof tabs)[number]['key']

/** What the tabs keep in the query. Another tab begins without it. */
const kept = ['step', 'state', 'version', 'cursor', 'panel', 'before', 'with'] as const

type FlowTabsProps = { kind: FlowKind; flow: Flow; overview: ReactNode }

/** The parts of a flow: how it is, who is in it, its versions, and what it achieves. The open one is in the query. */
export function FlowTabs({ kind, flow: { id, version }, overview }: FlowTabsProps) {
  const [search, change] = usePageSearch<{ tab?: string | undefined }>()
  const tab = tabs.find(({ key }) => key === search.tab)?.key ?? 'overview'
  const select = (key: TabKey) => {
    const none = Object.fromEntries(kept.map((name) => [name, undefined]))
    change({ ...none, tab: key === 'overview' ? undefined : key }, { replace: true })
  }
  const contents: Readonly<Record<TabKey, () => ReactNode>> = {
    overview: () => <div className={styles.parts}>{overview}</div>,
    people: () => <PeopleTab flow={{ kind, id }} />,
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
