import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteAdminTeamsId,
  type GetAdminTeamsReply,
  getAdminTeams,
  patchAdminTeamsId,
  postAdminTeams,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './access.module.css'
import { HoldersLink } from './holders-link.tsx'
import { useHolders } from './use-holders.ts'

type Team = GetAdminTeamsReply['teams'][number]
type Open = { readonly what: 'new' } | { readonly what: 'rename' | 'end'; readonly team: Team }

/** The teams of the workspace. Nothing in Easel belongs to a team, and the page says so. */
export function TeamList() {
  const { workspace } = useViewer()
  const operation = getAdminTeams({ workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const [open, setOpen] = useState<Open>()
  const make = (
    <Button look="main" disabledReason={useReason('teams.edit')} onClick={() => setOpen({ what: 'new' })}>
      New team
    </Button>
  )
  if (read.data === undefined) return <NoAnswer read={read} what="teams" />
  const { teams } = read.data
  const close = () => setOpen(undefined)
  return (
    <div className={styles.stack}>
      <div className={styles.row}>
        <span className={styles.soft}>
          Accounts can have permissions for a team. They are kept for your identity provider, and allow nothing in
          Easel.
        </span>
        <span className={styles.end}>{make}</span>
      </div>
      <div className={styles.sheet}>
        {teams.length === 0 ? (
          <Empty title="There are no teams" actions={make}>
            A team is a part of the company, such as CRM or Germany.
          </Empty>
        ) : (
          <TeamTable teams={teams} onOpen={setOpen} />
        )}
      </div>
      {open?.what === 'new' && <NameTeam onClose={close} />}
      {open?.what === 'rename' && <NameTeam team={open.team} onClose={close} />}
      {open?.what === 'end' && <EndTeam team={open.team} onClose={close} />}
    </div>
  )
}

function TeamTable({ teams, onOpen }: { teams: readonly Team[]; onOpen: (open: Open) => void }) {
  const { workspace } = useViewer()
  const holders = useHolders('teams')
  const edit = useReason('teams.edit')
  const end = useReason('teams.end')
  const columns: Column<Team>[] = [
    { head: 'Name', width: '38%', cell: ({ name }) => <span dir="auto">{name}</span> },
    {
      head: 'Who has permissions for it',
      width: '30%',
      cell: ({ id }) => <HoldersLink count={holders(id)} query={{ team: id, workspace: workspace.id }} />,
    },
    {
      head: 'Do',
      width: '32%',
      align: 'end',
      cell: (team) => (
        <>
          <Button
            disabledReason={edit}
            aria-label={`Rename ${team.name}`}
            onClick={() => onOpen({ what: 'rename', team })}
          >
            Rename
          </Button>{' '}
          <Button disabledReason={end} aria-label={`Delete ${team.name}`} onClick={() => onOpen({ what: 'end', team })}>
            Delete
          </Button>
        </>
      ),
    },
  ]
  return <Table caption="Teams" columns={columns} rows={teams} keyOf={({ id }) => id} />
}

/** Makes a team, or gives one another name. */
function NameTeam({ team, onClose }: { team?: Team; onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState(team?.name ?? '')
  const place = { workspace: workspace.id }
  const write = useWrite<string, unknown>({
    request: (given) =>
      team ? patchAdminTeamsId(team.id, { name: given }, place) : postAdminTeams({ name: given }, place),
    said: (_reply, given) => (team ? `The team is called "${given}" now.` : `The team "${given}" is made.`),
    onDone: onClose,
  })
  const isSame = name.trim() === team?.name
  return (
    <FormDialog
      title={team ? `Rename "${team.name}"` : 'New team'}
      submit={team ? 'Rename' : 'Make the team'}
      disabledReason={
        name.trim() === '' ? 'Give the team a name first.' : isSame ? 'This is its name already.' : undefined
      }
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(name.trim())}
      onClose={onClose}
    >
      <TextField label="Name" value={name} maxLength={255} onChange={setName} />
    </FormDialog>
  )
}

function EndTeam({ team, onClose }: { team: Team; onClose: () => void }) {
  const { workspace } = useViewer()
  const end = useWrite({
    request: ({ id }: Team) => deleteAdminTeamsId(id, { workspace: workspace.id }),
    said: () => `The team "${team.name}" is deleted.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Delete the team "${team.name}"?`}
      submit="Delete"
      danger
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(team)}
      onClose={onClose}
    >
      <p>Only a team that no account has permissions for can be deleted.</p>
    </FormDialog>
  )
}
