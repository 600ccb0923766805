import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type GetAdminAccountsQuery, getAdminAccounts, getAdminAccountsLimits } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, SelectFilter, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { useReason } from '../../frame/permit.ts'
import { usePageSearch } from '../../frame/search.ts'
import { Moment } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import { AccountState, type ListedAccount, nameOf, stateChoices } from './account-words.tsx'
import { InviteDialog } from './invite-dialog.tsx'

type Search = Readonly<
  Partial<Record<'q' | 'state' | 'role' | 'permission_set' | 'team' | 'workspace' | 'cursor', string>>
>
const none = {
  ...{ q: undefined, state: undefined, role: undefined, permission_set: undefined },
  ...{ team: undefined, workspace: undefined, cursor: undefined },
}

/** The people who may use Easel, and what each of them may do. */
export function AccountsPage() {
  const [search, change] = usePageSearch<Search>()
  const { q, state, cursor, role, permission_set, team } = search
  const operation = getAdminAccounts(search as GetAdminAccountsQuery)
  const accounts = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const [isInviting, setIsInviting] = useState(false)
  const filter = (some: Search) => change({ ...some, cursor: undefined } as object)
  const held = role ?? permission_set ?? team
  const isFiltered = [q, state, held].some((each) => each !== undefined)
  const invite = (
    <Button look="main" disabledReason={useReason('accounts.edit')} onClick={() => setIsInviting(true)}>
      Invite
    </Button>
  )
  return (
    <>
      <ListPage
        title="Accounts"
        what="accounts"
        query={accounts}
        head={invite}
        filters={
          <Filters isFiltered={isFiltered} onDrop={() => change(none as object)}>
            <TextFilter
              label="Name or address"
              value={q}
              maxLength={getAdminAccountsLimits.q.maxLength}
              onChange={(next) => filter({ q: next! })}
            />
            <SelectFilter
              label="State"
              value={state}
              options={stateChoices}
              onChange={(next) => filter({ state: next! })}
            />
          </Filters>
        }
        sentence={sentenceOf(accounts.data?.total, held !== undefined)}
        isEmpty={(reply) => reply.accounts.length === 0}
        empty={
          isFiltered ? (
            <Empty
              title="No account matches"
              actions={<Button onClick={() => change(none as object)}>Show all</Button>}
            >
              A part of the name or of the address is enough.
            </Empty>
          ) : (
            <Empty title="There are no accounts yet" actions={invite}>
              Invite a person, or let your identity provider make accounts by SCIM.
            </Empty>
          )
        }
        pages={
          <>
            {cursor !== undefined && <Button onClick={() => filter({})}>First page</Button>}
            {accounts.data?.cursor && <Button onClick={() => change({ cursor: accounts.data.cursor! })}>Next</Button>}
          </>
        }
      >
        {(reply) => <AccountsTable rows={reply.accounts} dimmed={accounts.isPlaceholderData} />}
      </ListPage>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </>
  )
}

function sentenceOf(total: number | undefined, isHeld: boolean): string {
  const count = total === undefined ? '' : `${formatCount(total)} ${total === 1 ? 'account' : 'accounts'}`
  return `${count}${isHeld ? ' that have it' : ''}, by their addresses.`
}

function AccountsTable({ rows, dimmed }: { rows: readonly ListedAccount[]; dimmed: boolean }) {
  const navigate = useNavigate()
  const columns: Column<ListedAccount>[] = [
    {
      head: 'Person',
      width: '20%',
      cell: (account) => (
        <Link to={paths.account(account.id)} dir="auto">
          {nameOf(account)}
        </Link>
      ),
    },
    { head: 'Address', width: '26%', cell: ({ user_name }) => <span title={user_name}>{user_name}</span> },
    { head: 'State', width: '12%', cell: (account) => <AccountState state={account.state} /> },
    {
      head: 'What it has',
      width: '28%',
      cell: ({ sentence }) => (
        <span dir="auto" title={sentence}>
          {sentence}
        </span>
      ),
    },
    {
      head: 'Last signed in',
      width: '14%',
      align: 'end',
      cell: ({ last_sign_in_at }) => (last_sign_in_at === null ? 'never' : <Moment at={last_sign_in_at} />),
    },
  ]
  return (
    <Table
      caption="Accounts"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      dimmed={dimmed}
      onChoose={({ id }) => void navigate({ to: paths.account(id) })}
    />
  )
}
