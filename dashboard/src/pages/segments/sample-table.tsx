import { Link } from '@tanstack/react-router'
import type { PostAdminAudienceSampleReply } from '../../api/generated.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { displayName } from '../../words/people.ts'

type Sampled = PostAdminAudienceSampleReply['people'][number]

/** People of a sample, with links to find them. */
export function SampleTable({ people, dimmed }: { people: readonly Sampled[]; dimmed: boolean }) {
  const { workspace } = useViewer()
  const columns: readonly Column<Sampled>[] = [
    {
      head: 'Person',
      cell: (person) => {
        const word = person.external_id ?? person.email ?? person.phone
        const name = displayName({ ...person, id: word ?? 'without identifiers' })
        return word === null ? name : <Link to={paths.people(workspace.id, { q: word })}>{name}</Link>
      },
    },
    { head: 'E-mail', cell: ({ email }) => email ?? '-' },
  ]
  return <Table caption="Some of the people" columns={columns} rows={people} keyOf={keyOf} dimmed={dimmed} />
}

function keyOf({ external_id, created_at, email }: Sampled): string {
  return external_id ?? `${created_at} ${email}`
}
