import { usePageSearch } from '../../frame/search.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import styles from './access.module.css'
import { BundleList } from './bundle-list.tsx'
import { permissionSets, roles } from './kinds.ts'
import { TeamList } from './team-list.tsx'

const tabs = [
  { key: 'roles', label: 'Roles' },
  { key: 'permission_sets', label: 'Permission sets' },
  { key: 'teams', label: 'Teams' },
] as const
type Key = (typeof tabs)[number]['key']

/** What accounts can be given in this workspace: roles, permission sets and teams. */
export function AccessPage() {
  const { workspace, may } = useViewer()
  const [{ tab }, change] = usePageSearch<{ tab?: string }>()
  // Those who may see teams alone begin there.
  const first: Key = may('roles.read') ? 'roles' : 'teams'
  const selected = tabs.find(({ key }) => key === tab)?.key ?? first
  return (
    <>
      <title>Access - Easel</title>
      <h1 className={styles.heading}>Access to {workspace.name}</h1>
      <Tabs label="Access" tabs={tabs} selected={selected} onSelect={(key) => change({ tab: key })}>
        <div className={styles.tabBody}>
          {selected === 'roles' && <BundleList key="roles" kind={roles} />}
          {selected === 'permission_sets' && <BundleList key="sets" kind={permissionSets} />}
          {selected === 'teams' && <TeamList />}
        </div>
      </Tabs>
    </>
  )
}
