import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { getAdminPeopleSearch, getAdminPeopleSearchLimits } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
import { Code, Empty, LoadingRows } from '../../ui/states.tsx'
import styles from './people-page.module.css'
import { PeopleTable } from './people-table.tsx'
import { PersonPanel } from './person-panel.tsx'

type PeopleSearch = { readonly q?: string; readonly cursor?: string; readonly panel?: string }

/** Everybody, newest first, or the people that an identifier names. */
export function PeoplePage() {
  const { workspace, zone, zoneLabel } = useViewer()
  const { q, cursor, panel } = useSearch({ strict: false }) as PeopleSearch
  const navigate = useNavigate()
  const operation = getAdminPeopleSearch({ workspace: workspace.id, q, cursor })
  const people = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const chosen = panel?.startsWith('person:') ? panel.slice('person:'.length) : undefined
  const show = (search: PeopleSearch) => void navigate({ to: '.', search } as never)
  const choose = (id: string | undefined) =>
    show({ ...(q && { q }), ...(cursor && { cursor }), ...(id && { panel: `person:${id}` }) })
  return (
    <>
      <title>People - Easel</title>
      <div className={styles.head}>
        <h1>People</h1>
        <SearchForm q={q ?? ''} onSearch={(text) => show(text === '' ? {} : { q: text })} />
      </div>
      <div className={styles.sentence}>
        <span>{people.isError ? '' : sentenceOf(q, people.data?.people.length)}</span>
        <span title={zone}>Times: {zoneLabel}</span>
      </div>
      <div className={styles.sheet}>
        {people.isPending && <LoadingRows what="people" />}
        {people.isError && !people.data && <Failure error={people.error} onRetry={() => void people.refetch()} />}
        {people.data && people.data.people.length > 0 && (
          <PeopleTable
            people={people.data.people}
            chosen={chosen}
            dimmed={people.isPlaceholderData}
            onChoose={choose}
          />
        )}
        {people.data?.people.length === 0 && <Nobody q={q} />}
      </div>
      <div className={styles.pages}>
        {cursor && (
          <Link to={paths.people(workspace.id)} className={buttonClass()}>
            Newest
          </Link>
        )}
        {people.data?.cursor && <Button onClick={() => show({ cursor: people.data.cursor! })}>Older</Button>}
      </div>
      {chosen && <PersonPanel id={chosen} onClose={() => choose(undefined)} />}
    </>
  )
}

function sentenceOf(q: string | undefined, count: number | undefined): string {
  if (count === 0) return ''
  if (q === undefined) return 'Newest first.'
  if (count === undefined) return 'Searching ...'
  return count === 1 ? 'One person has this address or id.' : `${count} people have this address or id.`
}

function SearchForm({ q, onSearch }: { q: string; onSearch: (text: string) => void }) {
  const [text, setText] = useState(q)
  // A link or the way back may change what is searched for.
  useEffect(() => setText(q), [q])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text.trim())
  }
  return (
    <search className={styles.form}>
      <form onSubmit={submit}>
        <SearchField
          label="Find a person"
          placeholder="Address, phone number, external id, label:alias or device"
          maxLength={getAdminPeopleSearchLimits.q.maxLength}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </search>
  )
}

const firstCall = `curl ${location.origin}/users/track \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"attributes": [{"external_id": "ada", "email": "ada@example.com"}]}'`

function Nobody({ q }: { q: string | undefined }) {
  const { workspace } = useViewer()
  if (q !== undefined) {
    return (
      <Empty
        title="Nobody has this address or id"
        actions={
          <Link to={paths.people(workspace.id)} className={buttonClass()}>
            Show everybody
          </Link>
        }
      >
        The search looks for a whole external id, e-mail address, phone number with country code, alias as label:name,
        device id or id of Easel.
      </Empty>
    )
  }
  return (
    <Empty title="There are no people yet">
      <p>People appear here when your systems send data about them. The first call creates the first person:</p>
      <Code>{firstCall}</Code>
    </Empty>
  )
}
