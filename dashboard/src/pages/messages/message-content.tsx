import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type GetAdminMessagesIdReply, getAdminMessagesId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { channelWords } from '../../frame/channel-words.ts'
import { Failure } from '../../frame/failure.tsx'
import { KeptView } from '../../frame/kept-view.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, type Fact, Facts, Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { displayName, shortId } from '../../words/people.ts'
import { DecideButtons } from './decide-buttons.tsx'
import styles from './message.module.css'

type Message = GetAdminMessagesIdReply['message']

/** What became of a message and why, its opens and clicks, and the message itself. */
export function MessageContent({ message }: { message: Message }) {
  const { decisions, engagement, warnings } = message
  const { title, look } = channelWords(message.channel)
  return (
    <div className={styles.content}>
      <div className={styles.sentence} dir="auto">
        <Mark family={message.family}>{message.sentence}</Mark>
      </div>
      <div className={styles.actions}>
        <DecideButtons message={message} />
        <WhyLink message={message} />
      </div>
      <div className={styles.columns}>
        <div className={styles.column}>
          <Card title="Message">
            <Facts facts={factsOf(message)} />
          </Card>
          <Card title="Why">
            <ul className={styles.list}>
              {decisions.length === 0 && <li className={styles.soft}>Nothing was decided yet.</li>}
              {decisions.map(({ at, family, sentence, rule }) => (
                <li key={at} dir="auto">
                  <Moment at={at} full /> <Mark family={family}>{sentence}</Mark>
                  {rule !== null && <div className={styles.soft}>{rule}</div>}
                </li>
              ))}
              {warnings.map((warning) => (
                <li key={warning} className={styles.soft} dir="auto">
                  {warning}
                </li>
              ))}
            </ul>
          </Card>
          {(look === 'mail' || engagement.length > 0) && <Engagement engagement={engagement} />}
        </div>
        <div className={styles.column}>
          <Card title={title}>
            <Kept message={message} />
          </Card>
        </div>
      </div>
    </div>
  )
}

function Engagement({ engagement }: Pick<Message, 'engagement'>) {
  return (
    <Card title="Opens and clicks">
      <ul className={styles.list}>
        {engagement.length === 0 && <li className={styles.soft}>Not opened and not clicked, as far as is known.</li>}
        {engagement.map(({ kind, url, sentence, first_at }) => (
          <li key={`${kind} ${url}`} dir="auto">
            {sentence}, first <Moment at={first_at} full />
            {url !== null && <div className={styles.soft}>{url}</div>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function factsOf(message: Message): Fact[] {
  const { address, attempts, response, planned_at, due_at, ended_at, bounced_at, complained_at, variant } = message
  const words = channelWords(message.channel)
  return [
    { name: 'Person', value: <PersonLink person={message.person} /> },
    { name: 'To', value: address ?? '-' },
    { name: 'Canvas or campaign', value: <FlowPosition message={message} /> },
    ...(variant === null ? [] : [{ name: 'Variant', value: variant }]),
    { name: 'Send', value: <SendLink id={message.dispatch_id} /> },
    { name: 'Kind', value: `${message.class}, by ${words.one}` },
    { name: 'Planned', value: <Moment at={planned_at} full /> },
    ...(ended_at === null
      ? [{ name: 'Due', value: <Moment at={due_at} full /> }]
      : [{ name: 'Ended', value: <Moment at={ended_at} full /> }]),
    { name: 'Tries', value: attempts },
    { name: words.answer, value: response ?? '-' },
    ...(words.look === 'request' ? [] : [{ name: 'Bounced', value: <MomentOrNo at={bounced_at} /> }]),
    ...(words.look === 'mail' ? [{ name: 'Reported as spam', value: <MomentOrNo at={complained_at} /> }] : []),
  ]
}

function MomentOrNo({ at }: { at: string | null }) {
  return at === null ? 'no' : <Moment at={at} full />
}

function PersonLink({ person }: Pick<Message, 'person'>) {
  const { workspace, may } = useViewer()
  if (!person) return 'deleted'
  const name = displayName(person)
  if (!may('people.read')) return <span dir="auto">{name}</span>
  return (
    <Link to={paths.person(workspace.id, person.id)} dir="auto">
      {name}
    </Link>
  )
}

function FlowPosition({ message: { flow, step, visit } }: { message: Message }) {
  if (!flow) return '-'
  const version = flow.version === null ? '' : ` v${flow.version}`
  const at = step ? `, step ${step.name ?? step.id}${visit > 1 ? `, visit ${visit}` : ''}` : ''
  return <span dir="auto">{`${flow.name}${version}${at}`}</span>
}

function SendLink({ id }: { id: string | null }) {
  const { workspace } = useViewer()
  if (id === null) return 'The person entered after an event.'
  return (
    <Link to={paths.send(workspace.id, id)} title={id}>
      {shortId(id)}
    </Link>
  )
}

/** Leads to the answer why the person got this, or did not. */
function WhyLink({ message: { person, flow, dispatch_id } }: { message: Message }) {
  const { workspace, may } = useViewer()
  const about = flow ? `${flow.kind}:${flow.id}` : dispatch_id === null ? undefined : `send:${dispatch_id}`
  if (!person || about === undefined || !may('people.read')) return null
  return (
    <Link to={paths.person(workspace.id, person.id, { panel: `why:${about}` })} className={buttonClass()}>
      Why
    </Link>
  )
}

/** The message as it was kept. One that was not kept is made anew on request. */
function Kept({ message }: { message: Message }) {
  const [anew, setAnew] = useState(false)
  const { mail, mail_sentence, may_render, message_id } = message
  if (anew && !mail) return <MadeAnew message={message} />
  return (
    <>
      <Note>{mail_sentence}</Note>
      {mail && (
        <KeptView
          channel={message.channel}
          kept={mail}
          source={<Source id={message_id} />}
          inputs={<Inputs message={message} />}
        />
      )}
      {may_render && <Button onClick={() => setAnew(true)}>Show it made anew</Button>}
    </>
  )
}

function MadeAnew({ message }: { message: Message }) {
  const { workspace } = useViewer()
  const id = message.message_id
  const read = useQuery(reading(getAdminMessagesId(id, { workspace: workspace.id, render: 'true' })))
  if (read.isPending) return <LoadingRows what="the message" />
  if (!read.data) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const { mail, mail_sentence } = read.data.message
  return (
    <>
      <p className={styles.anew} role="status" dir="auto">
        {mail_sentence}
      </p>
      {mail && (
        <KeptView
          channel={message.channel}
          kept={mail}
          source={<Source id={id} anew />}
          inputs={<Inputs message={message} />}
        />
      )}
    </>
  )
}

function Source({ id, anew = false }: { id: string; anew?: boolean }) {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id, source: 'true', render: anew ? 'true' : 'false' } as const
  const read = useQuery(reading(getAdminMessagesId(id, query)))
  if (read.isPending) return <LoadingRows what="the source" />
  if (!read.data) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  return <CodeBlock label="Source of the mail">{read.data.message.mail?.source ?? ''}</CodeBlock>
}

/** What the rules have read for each decision. */
function Inputs({ message: { decisions } }: { message: Message }) {
  const read = decisions.filter(({ inputs }) => inputs !== null)
  if (read.length === 0) return <Note>No rule has read anything that was kept.</Note>
  return (
    <CodeBlock label="What the rules have read">
      {JSON.stringify(
        read.map(({ inputs }) => inputs),
        null,
        2,
      )}
    </CodeBlock>
  )
}
