import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import {
  type GetAdminPeopleIdReply,
  type GetAdminPeopleSearchReply,
  getAdminPeopleSearch,
  type PostAdminPeopleMergeReply,
  postAdminPeopleMerge,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { confirmName, displayName, shortId } from '../../words/people.ts'
import styles from './merge-dialog.module.css'

type Person = GetAdminPeopleSearchReply['people'][number]
type Plan = PostAdminPeopleMergeReply
type Pair = { readonly keep: string; readonly merge: string }

/** Finds another person, shows what a merge of the two gives, and merges them after the name of who goes was typed. */
export function MergeDialog({ reply, onClose }: { reply: GetAdminPeopleIdReply; onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const [other, setOther] = useState<Person>()
  const mine = reply.person.id
  const plan = useMutation({
    mutationFn: (asked: Pair) => call(postAdminPeopleMerge(asked, { workspace: workspace.id, plan: 'true' })),
  })
  const body = plan.variables
  const choose = (one: Person | undefined) => {
    setOther(one)
    if (one) plan.mutate({ keep: mine, merge: one.id })
    else plan.reset()
  }
  const write = useWrite({
    request: (asked: Pair) => postAdminPeopleMerge(asked, { workspace: workspace.id }),
    said: ({ state }) =>
      state === 'done'
        ? 'The two people are one now.'
        : 'The merge was accepted. It is carried out after earlier work.',
    onDone: ({ keep }) => {
      onClose()
      void navigate({ to: paths.person(workspace.id, keep.id) })
    },
  })
  return (
    <FormDialog
      title={`Merge ${displayName(reply.person)} with another person`}
      submit="Merge"
      danger
      {...(plan.data && { typed: confirmName(plan.data.merge) })}
      disabledReason={plan.data ? undefined : 'Choose the other person first.'}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => body && write.mutate(body)}
      onClose={onClose}
    >
      {other === undefined && <Chooser mine={mine} onChoose={choose} />}
      {plan.isError && <Failure error={plan.error} onRetry={() => body && plan.mutate(body)} />}
      {plan.data && <Preview plan={plan.data} />}
      {other !== undefined && (
        <div className={styles.buttons}>
          <Button onClick={() => body && plan.mutate({ keep: body.merge, merge: body.keep })}>
            Keep the other one instead
          </Button>
          <Button onClick={() => choose(undefined)}>Choose somebody else</Button>
        </div>
      )}
    </FormDialog>
  )
}

function Chooser({ mine, onChoose }: { mine: string; onChoose: (person: Person) => void }) {
  const { workspace } = useViewer()
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  const found = useQuery({ ...reading(getAdminPeopleSearch({ workspace: workspace.id, q })), enabled: q !== '' })
  const others = (found.data?.people ?? []).filter(({ id }) => id !== mine)
  return (
    <>
      <TextField
        label="Find the other person"
        hint="Address, phone number, external id, label:alias or device"
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          setQ(text.trim())
        }}
      />
      <div className={styles.buttons}>
        <Button onClick={() => setQ(text.trim())}>Find</Button>
      </div>
      {found.isError && <Failure error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && others.length === 0 && <p role="status">Nobody else has this address or id.</p>}
      <ul className={styles.found}>
        {others.map((person) => (
          <li key={person.id}>
            <Button onClick={() => onChoose(person)}>
              {`${displayName(person)}, ${person.email ?? person.external_id ?? shortId(person.id)}`}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

const from: Readonly<Record<Plan['fields'][number]['from'], string>> = {
  keep: 'stays',
  merge: 'from the other one',
  both: 'from both',
  nobody: 'lost: no room',
}

function Preview({ plan }: { plan: Plan }) {
  return (
    <>
      <p>
        <strong dir="auto">{nameOf(plan.keep)}</strong> stays. <strong dir="auto">{nameOf(plan.merge)}</strong> is
        merged into this person.
      </p>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <caption className={styles.caption}>What the merged person has</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {plan.fields.map((field) => (
              <tr key={field.field}>
                <td>{field.field.replace('custom_attributes.', '')}</td>
                <td dir="auto">{textOf(field.value)}</td>
                <td>{from[field.from]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul className={styles.notes}>
        {plan.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  )
}

function nameOf(person: Plan['keep']): string {
  return `${displayName(person)} (${person.external_id ?? shortId(person.id)})`
}

const charactersMax = 200

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}...` : text
}
