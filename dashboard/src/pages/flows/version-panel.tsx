import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { usePageSearch } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { Select } from '../../ui/field.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { formatCount } from '../../words/numbers.ts'
import { Author } from './author.tsx'
import { type FlowRef, pathOfFlow } from './flow-words.ts'
import { versionOf } from './run-content.tsx'
import styles from './version-panel.module.css'

type VersionPanelProps = { flow: FlowRef; version: string; others: readonly number[] }

/** One version, and in words what differs from the one before, or from another one. */
export function VersionPanel({ flow, version, others }: VersionPanelProps) {
  const { workspace } = useViewer()
  const [search, change] = usePageSearch<{ with?: string | undefined; panel?: string | undefined }>()
  const query = {
    workspace: workspace.id,
    ...(search.with !== undefined && { compared_with: Number(search.with) }),
  }
  const read = useQuery({
    ...reading(versionOf[flow.kind](flow.id, version, query)),
    placeholderData: keepPreviousData,
  })
  return (
    <SidePanel title={`Version ${version}`} onClose={() => change({ panel: undefined, with: undefined })}>
      {read.isPending && <LoadingRows what="the version" />}
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && (
        <>
          <Facts
            facts={[
              { name: 'Written', value: <Moment at={read.data.version.created_at} full /> },
              { name: 'By', value: <Author author={read.data.version.author} /> },
              { name: 'People on it now', value: formatCount(read.data.version.people) },
              {
                name: 'Counts',
                value: (
                  <Link to={`${pathOfFlow(flow.kind, workspace.id, flow.id)}?version=${version}`}>Show its counts</Link>
                ),
              },
            ]}
          />
          <Card title="What differs">
            <div className={styles.choice}>
              <Select
                label="Compared with version"
                shown
                value={String(read.data.compared_with ?? '')}
                options={optionsOf(version, others, read.data.compared_with)}
                onChange={(other) => change({ with: other === '' ? undefined : other })}
              />
            </div>
            <Changes
              changes={read.data.changes}
              comparedWith={read.data.compared_with}
              hasMore={read.data.has_more_changes}
            />
          </Card>
          <Card title="As it is written">
            <CodeBlock label="The definition">{JSON.stringify(read.data.definition, null, 2)}</CodeBlock>
          </Card>
        </>
      )}
    </SidePanel>
  )
}

function optionsOf(version: string, others: readonly number[], compared: number | null) {
  const numbers = new Set([...others, ...(compared === null ? [] : [compared])])
  numbers.delete(Number(version))
  const options = [...numbers].sort((a, b) => b - a).map((one) => ({ value: String(one), label: String(one) }))
  return compared === null ? [{ value: '', label: 'none' }, ...options] : options
}

type ChangesProps = { changes: readonly string[]; comparedWith: number | null; hasMore: boolean }

function Changes({ changes, comparedWith, hasMore }: ChangesProps) {
  if (comparedWith === null) return <Note>This is the first version: there is none before it.</Note>
  if (changes.length === 0) return <Note>The two versions are the same.</Note>
  return (
    <>
      <ul className={styles.changes}>
        {changes.map((change) => (
          <li key={change} dir="auto">
            {change}
          </li>
        ))}
      </ul>
      {hasMore && <Note>There are more differences than are listed.</Note>}
    </>
  )
}
