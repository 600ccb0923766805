import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAdminScimRequests, getAdminScimTokens } from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { ListPage } from '../../frame/list-page.tsx'
import { useReason } from '../../frame/permit.ts'
import { usePageSearch } from '../../frame/search.ts'
import { Moment } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import { NewToken } from './new-token.tsx'
import { RequestList } from './request-list.tsx'
import styles from './scim.module.css'
import type { Token } from './token.ts'
import { EndToken, RotateToken } from './token-dialogs.tsx'

type Open = { readonly what: 'new' } | { readonly what: 'rotate' | 'end'; readonly token: Token }

const everyMs = 10_000

/** The tokens of identity providers, and what was asked with them. */
export function ScimPage() {
  const operation = getAdminScimTokens()
  const tokens = useQuery(reading(operation))
  const counts = useQuery(polling(getAdminScimRequests({ limit: 1 }), everyMs)).data?.counts
  useFeed(operation)
  const [{ token }, change] = usePageSearch<{ token?: string }>()
  const [open, setOpen] = useState<Open>()
  const make = (
    <Button look="main" disabledReason={useReason('scim_tokens.edit')} onClick={() => setOpen({ what: 'new' })}>
      New token
    </Button>
  )
  const close = () => setOpen(undefined)
  const show = (next: Open) => {
    // The requests of a token cannot be read by its id any more once it is deleted.
    if (next.what === 'end' && next.token.id === token) change({ token: undefined } as object)
    setOpen(next)
  }
  return (
    <>
      <ListPage
        title="SCIM tokens"
        what="SCIM tokens"
        query={tokens}
        head={make}
        sentence="Identity providers make and disable accounts with these tokens."
        isEmpty={(reply) => reply.tokens.length === 0}
        empty={
          <Empty title="There are no SCIM tokens" actions={make}>
            Your identity provider needs one to make accounts at <code>/scim/v2</code>.
          </Empty>
        }
      >
        {(reply) => (
          <TokensTable
            tokens={reply.tokens}
            countOf={(id) => counts?.find(({ token_id }) => token_id === id)}
            chosen={token}
            onChoose={(id) => change({ token: id === token ? undefined : id } as object)}
            onOpen={show}
          />
        )}
      </ListPage>
      {tokens.data && (
        <RequestList tokens={tokens.data.tokens} token={token} onToken={(id) => change({ token: id } as object)} />
      )}
      {open?.what === 'new' && <NewToken onClose={close} />}
      {open?.what === 'rotate' && <RotateToken token={open.token} onClose={close} />}
      {open?.what === 'end' && <EndToken token={open.token} onClose={close} />}
    </>
  )
}

type Count = { readonly requests: number; readonly refused: number }

type TokensTableProps = {
  tokens: readonly Token[]
  countOf: (id: string) => Count | undefined
  chosen: string | undefined
  onChoose: (id: string) => void
  onOpen: (open: Open) => void
}

function TokensTable({ tokens, countOf, chosen, onChoose, onOpen }: TokensTableProps) {
  const reason = useReason('scim_tokens.edit')
  const columns: Column<Token>[] = [
    {
      head: 'Name',
      width: '20%',
      cell: ({ name, may_grant }) => (
        <span dir="auto">
          {name}
          {!may_grant && ' (changes no permissions)'}
        </span>
      ),
    },
    { head: 'Begins with', width: '14%', wideOnly: true, cell: ({ token_start }) => <code>{token_start}</code> },
    { head: 'Origin', width: '18%', wideOnly: true, cell: ({ origin }) => origin ?? 'any' },
    {
      head: 'Requests',
      width: '18%',
      cell: ({ id }) => <Requests count={countOf(id)} />,
    },
    {
      head: 'Last used',
      width: '10%',
      align: 'end',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Moment at={last_used_at} />),
    },
    {
      head: 'Do',
      width: '20%',
      align: 'end',
      cell: (token) => (
        <span className={styles.do}>
          <Button
            disabledReason={reason}
            aria-label={`Rotate ${token.name}`}
            onClick={() => onOpen({ what: 'rotate', token })}
          >
            Rotate
          </Button>
          <Button
            disabledReason={reason}
            aria-label={`Delete ${token.name}`}
            onClick={() => onOpen({ what: 'end', token })}
          >
            Delete
          </Button>
        </span>
      ),
    },
  ]
  return (
    <Table
      caption="SCIM tokens"
      columns={columns}
      rows={tokens}
      keyOf={({ id }) => id}
      chosen={chosen}
      onChoose={({ id }) => onChoose(id)}
    />
  )
}

function Requests({ count }: { count: Count | undefined }) {
  if (count === undefined) return 'none yet'
  const refused = count.refused === 0 ? 'none refused' : `${formatCount(count.refused)} refused`
  return `${formatCount(count.requests)}, ${refused}`
}
