import { usePageSearch } from '../../frame/search.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { AppsTab } from './apps-tab.tsx'
import { CredentialsTab } from './credentials-tab.tsx'
import { DomainsTab } from './domains-tab.tsx'
import { FileTab } from './file-tab.tsx'
import { GeneralTab } from './general-tab.tsx'
import { SettingsForm } from './settings-form.tsx'

type Key = 'general' | 'sending' | 'domains' | 'credentials' | 'apps' | 'retention' | 'file'

/** The tabs, each with the ability to read what is in it. */
const tabs: readonly (Tab<Key> & { readonly ability: string })[] = [
  { key: 'general', label: 'General', ability: 'settings.read' },
  { key: 'sending', label: 'Sending', ability: 'settings.read' },
  { key: 'domains', label: 'Mail domains', ability: 'dkim_keys.read' },
  { key: 'credentials', label: 'Credentials', ability: 'credentials.read' },
  { key: 'apps', label: 'Apps', ability: 'apps.read' },
  { key: 'retention', label: 'Retention', ability: 'settings.read' },
  { key: 'file', label: 'File', ability: 'settings.read' },
]

/** The settings of a workspace, and what it needs to send: domains, credentials and apps. */
export function SettingsPage() {
  const { may } = useViewer()
  const [{ tab }, change] = usePageSearch<{ tab?: string }>()
  const offered = tabs.filter(({ ability }) => may(ability))
  const selected = offered.find(({ key }) => key === tab)?.key ?? 'general'
  return (
    <>
      <title>Settings - Easel</title>
      <h1>Settings</h1>
      <Tabs label="Settings" tabs={offered} selected={selected} onSelect={(key) => change({ tab: key })}>
        {selected === 'general' && <GeneralTab />}
        {selected === 'sending' && <SettingsForm key="sending" page="sending" />}
        {selected === 'domains' && <DomainsTab />}
        {selected === 'credentials' && <CredentialsTab />}
        {selected === 'apps' && <AppsTab />}
        {selected === 'retention' && <SettingsForm key="retention" page="retention" />}
        {selected === 'file' && <FileTab />}
      </Tabs>
    </>
  )
}
