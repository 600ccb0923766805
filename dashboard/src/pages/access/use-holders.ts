import { useQuery } from '@tanstack/react-query'
import { getAdminHolders } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useViewer } from '../../frame/viewer.tsx'

type Noun = 'roles' | 'permission_sets' | 'teams'

/** Returns a function that says how many accounts have something of the workspace; undefined for those who may not see accounts. */
export function useHolders(noun: Noun): (id: string) => number | undefined {
  const { workspace, may } = useViewer()
  const read = useQuery({ ...reading(getAdminHolders({ workspace: workspace.id })), enabled: may('accounts.read') })
  const counts = new Map(read.data?.[noun].map(({ id, accounts }) => [id, accounts]))
  return (id) => (read.data === undefined ? undefined : (counts.get(id) ?? 0))
}
