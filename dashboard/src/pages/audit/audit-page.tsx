import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type GetAdminAuditReply, getAdminAudit } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, SelectFilter, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { actorName, thingName } from './audit-content.tsx'
import { AuditPanel } from './audit-panel.tsx'

type AuditSearch = Readonly<
  Partial<Record<'of' | 'kind' | 'actor' | 'action' | 'target' | 'request_id' | 'cursor' | 'panel', string>>
>
type Entry = GetAdminAuditReply['audit'][number]

const kinds = [
  { value: 'change', label: 'changes' },
  { value: 'access', label: 'reads of people' },
  { value: 'refusal', label: 'refusals' },
]
const none = {
  of: undefined,
  kind: undefined,
  actor: undefined,
  action: undefined,
  target: undefined,
  request_id: undefined,
}

/** Who changed what, and who read data of people. */
export function AuditPage() {
  const { workspace } = useViewer()
  const [{ panel: _, of, cursor, ...given }, change] = usePageSearch<AuditSearch>()
  const [chosen, choose] = usePanel('audit')
  const operation = getAdminAudit({ ...(of === 'workspace' && { workspace: workspace.id }), ...given, cursor })
  const audit = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const filter = (some: Readonly<Record<string, string | undefined>>) =>
    change({ ...some, cursor: undefined, panel: undefined } as object)
  const isFiltered = of !== undefined || Object.keys(given).length > 0
  const text = (label: string, name: 'actor' | 'action' | 'target' | 'request_id', placeholder = '') => (
    <TextFilter
      label={label}
      value={given[name]}
      placeholder={placeholder}
      maxLength={500}
      onChange={(value) => filter({ [name]: value })}
    />
  )
  return (
    <ListPage
      title="Audit"
      what="audit rows"
      query={audit}
      filters={
        <Filters isFiltered={isFiltered} onDrop={() => filter(none)}>
          <SelectFilter
            label="Where"
            value={of}
            options={[{ value: 'workspace', label: 'this workspace' }]}
            onChange={(value) => filter({ of: value })}
          />
          <SelectFilter label="What" value={given.kind} options={kinds} onChange={(kind) => filter({ kind })} />
          {text('Who', 'actor', 'account, key, admin or account:id')}
          {text('Action', 'action', 'segment.update')}
          {text('Thing', 'target', 'segment or segment:id')}
          {text('Request id', 'request_id')}
        </Filters>
      }
      sentence="Changes, reads of data of people, and refused sign-ins. Nobody can change these rows. Newest first."
      isEmpty={(reply) => reply.audit.length === 0}
      empty={
        isFiltered ? (
          <Empty title="No row matches these filters">Actions and things are compared as a whole.</Empty>
        ) : (
          <Empty title="Nothing was changed yet">Every change that an administrator makes gets a row here.</Empty>
        )
      }
      pages={
        <>
          {cursor !== undefined && <Button onClick={() => filter({})}>Newest</Button>}
          {audit.data?.cursor && <Button onClick={() => change({ cursor: audit.data.cursor! })}>Older</Button>}
        </>
      }
      panel={chosen && <AuditPanel id={chosen} onClose={() => choose(undefined)} />}
    >
      {(reply) => <AuditTable rows={reply.audit} chosen={chosen} dimmed={audit.isPlaceholderData} onChoose={choose} />}
    </ListPage>
  )
}

type AuditTableProps = {
  rows: readonly Entry[]
  chosen: string | undefined
  dimmed: boolean
  onChoose: (id: string) => void
}

function AuditTable({ rows, chosen, dimmed, onChoose }: AuditTableProps) {
  const { workspace } = useViewer()
  const columns: Column<Entry>[] = [
    {
      head: 'What',
      width: '24%',
      cell: ({ id, action }) => <Link to={paths.auditEntry(workspace.id, id)}>{action}</Link>,
    },
    { head: 'Thing', width: '30%', cell: (entry) => <span dir="auto">{thingName(entry)}</span> },
    { head: 'Who', width: '21%', cell: (entry) => <span dir="auto">{actorName(entry)}</span> },
    { head: 'Workspace', width: '12%', wideOnly: true, cell: (entry) => entry.workspace ?? '-' },
    { head: 'At', width: '13%', align: 'end', cell: ({ at }) => <Moment at={at} /> },
  ]
  return (
    <Table
      caption="Audit"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      chosen={chosen}
      dimmed={dimmed}
      onChoose={({ id }) => onChoose(id)}
    />
  )
}
