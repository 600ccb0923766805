import { Link } from '@tanstack/react-router'
import type { GetAdminPeopleSearchReply } from '../../api/generated.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { displayName, shortId } from '../../words/people.ts'
import { EmailState } from './email-state.tsx'
import styles from './people-page.module.css'

type Person = GetAdminPeopleSearchReply['people'][number]

type PeopleTableProps = {
  people: readonly Person[]
  chosen: string | undefined
  dimmed: boolean
  onChoose: (id: string) => void
}

export function PeopleTable({ people, chosen, dimmed, onChoose }: PeopleTableProps) {
  const { workspace } = useViewer()
  const columns: Column<Person>[] = [
    {
      head: 'Person',
      width: '24%',
      cell: (person) => (
        <Link to={paths.person(workspace.id, person.id)} className={styles.name} dir="auto">
          {displayName(person)}
        </Link>
      ),
    },
    {
      head: 'External id',
      width: '17%',
      cell: ({ id, external_id }) => <span className={styles.id}>{external_id ?? shortId(id)}</span>,
    },
    {
      head: 'E-mail',
      width: '31%',
      cell: ({ email, email_subscribe }) =>
        email === null ? '-' : <EmailState state={email_subscribe}>{email}</EmailState>,
    },
    {
      head: 'Created',
      width: '14%',
      align: 'end',
      wideOnly: true,
      cell: ({ created_at }) => <Moment at={created_at} />,
    },
    {
      head: 'Changed',
      width: '14%',
      align: 'end',
      wideOnly: true,
      cell: ({ updated_at }) => <Moment at={updated_at} />,
    },
  ]
  return (
    <Table
      caption="People"
      columns={columns}
      rows={people}
      keyOf={({ id }) => id}
      chosen={chosen}
      dimmed={dimmed}
      onChoose={({ id }) => onChoose(id)}
    />
  )
}
