import { useQuery } from '@tanstack/react-query'
import { getAdminApps } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import type { Path } from '../../draft/path.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { LineField, WordField } from './fields.tsx'

/** The app in whose name a mail is sent. */
export function AppField({ path }: { path: Path }) {
  const { workspace, may } = useViewer()
  const read = useQuery({ ...reading(getAdminApps({ workspace: workspace.id })), enabled: may('apps.read') })
  if (!may('apps.read') || read.isError) return <LineField path={path} label="App" />
  const apps = read.data?.apps ?? []
  const none = read.isPending ? 'One moment' : apps.length === 0 ? 'There are no apps yet' : 'Choose an app'
  const choices = [{ value: '', label: none }, ...apps.map(({ id, name }) => ({ value: id, label: name }))]
  return <WordField path={path} label="App" choices={choices} otherwise="" />
}
