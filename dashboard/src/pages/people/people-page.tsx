import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { getAdminPeopleSearch, getAdminPeopleSearchLimits } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { ListPage } from '../../frame/list-page.tsx'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
import { Code, Empty } from '../../ui/states.tsx'
import styles from './people-page.module.css'
import { PeopleTable } from './people-table.tsx'
import { PersonPanel } from './person-panel.tsx'

type PeopleSearch = { readonly q?: string; readonly cursor?: string; readonly panel?: string }

/** Everybody, newest first, or the people that an identifier names. */
export function PeoplePage() {
  const { workspace } = useViewer()
  const [{ q, cursor }, change] = usePageSearch<PeopleSearch>()
  const [chosen, choose] = usePanel('person')
  const operation = getAdminPeopleSearch({ workspace: workspace.id, q, cursor })
  const people = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const search = (text: string) => change({ q: text, cursor: undefined, panel: undefined })
  return (
    <ListPage
      title="People"
      what="people"
      query={people}
      head={<SearchForm q={q ?? ''} onSearch={search} />}
      sentence={sentenceOf(q, people.data?.people.length)}
      isEmpty={(reply) => reply.people.length === 0}
      empty={<Nobody q={q} />}
      pages={
        <>
          {cursor && (
            <Link to={paths.people(workspace.id)} className={buttonClass()}>
              Newest
            </Link>
          )}
          {people.data?.cursor && <Button onClick={() => change({ cursor: people.data.cursor! })}>Older</Button>}
        </>
      }
      panel={chosen && <PersonPanel id={chosen} onClose={() => choose(undefined)} />}
    >
      {(reply) => (
        <PeopleTable people={reply.people} chosen={chosen} dimmed={people.isPlaceholderData} onChoose={choose} />
      )}
    </ListPage>
  )
}

function sentenceOf(q: string | undefined, count: number | undefined): string {
  if (count === undefined || count === 0) return ''
  if (q === undefined) return 'Newest first.'
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
