import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { getAdminAccountsId, getAdminAudit } from '../../api/generated.ts'
import { reading, readingTagged } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import access from '../access/access.module.css'
import { Sentences } from '../access/permission-matrix.tsx'
import { SessionList } from '../sessions/session-list.tsx'
import { AccountActions } from './account-actions.tsx'
import { type Account, AccountState, nameOf } from './account-words.tsx'
import styles from './accounts.module.css'

const changesShown = 10

/** One account: who it is, what it may do in each workspace and why, its sessions, and what was done to it. */
export function AccountPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminAccountsId(id)
  const read = useQuery(readingTagged(operation, JSON.parse))
  useFeed(operation)
  if (read.data === undefined) return <NoAnswer read={read} what="the account" />
  const { account } = read.data.reply
  return (
    <div className={access.stack} key={id}>
      <title>{`${nameOf(account)} - Easel`}</title>
      <div>
        <p>
          <Link to={paths.accounts()}>Accounts</Link>
        </p>
        <div className={access.row}>
          <h1 className={access.title} dir="auto">
            {nameOf(account)}
          </h1>
          <AccountState state={account.state} />
          <div className={`${access.buttons} ${access.end}`}>
            <AccountActions account={account} tag={read.data.tag} />
          </div>
        </div>
        <p dir="auto">{account.sentence}</p>
      </div>
      <div className={styles.parts}>
        <WhoItIs account={account} />
        <WhatItMayDo account={account} />
        <Sessions account={account} />
        <Changes account={account} />
      </div>
    </div>
  )
}

function WhoItIs({ account }: { account: Account }) {
  const { user_name, mail_to, department, is_provisioned, last_sign_in_at, created_at, id } = account
  return (
    <Card title="Who it is">
      <Facts
        facts={[
          { name: 'Address', value: user_name },
          ...(mail_to === user_name ? [] : [{ name: 'Links go to', value: mail_to }]),
          { name: 'Department', value: department ?? '-' },
          { name: 'Last signed in', value: last_sign_in_at === null ? 'never' : <Moment at={last_sign_in_at} full /> },
          { name: 'Made', value: <Moment at={created_at} full /> },
          {
            name: 'Known to',
            value: is_provisioned ? 'an identity provider, which may change it again' : 'Easel alone',
          },
          {
            name: 'Id',
            value: (
              <span className={styles.id}>
                <code className={styles.agent}>{id}</code>
                <CopyButton text={id} label="Copy the id of the account" />
              </span>
            ),
          },
        ]}
      />
    </Card>
  )
}

const kinds = { permissions: 'Single permissions', role: 'Role', permission_set: 'Permission set' } as const

function WhatItMayDo({ account }: { account: Account }) {
  const { allows, workspaces, is_own } = account
  return (
    <Card title={is_own ? 'What you may do' : 'What it may do'}>
      {account.state === 'disabled' && <Note>It is disabled, so it may do nothing now.</Note>}
      {allows.length > 0 && (
        <div className={access.body}>
          <h3 className={styles.place}>For the company</h3>
          <Sentences list={allows} none="" />
        </div>
      )}
      {workspaces.map(({ id, name, allows: there, sources, teams }) => (
        <section key={id} aria-label={name}>
          <div className={access.body}>
            <h3 className={styles.place}>In {name}</h3>
            <Sentences list={there} none="Nothing." />
          </div>
          {sources.map((source) => (
            <p key={`${source.kind} ${source.id}`} className={styles.source}>
              {kinds[source.kind]}
              {source.id !== null && ' '}
              {source.id !== null && <SourceLink workspace={id} kind={source.kind} id={source.id} name={source.name} />}
              : {source.permissions.join(', ') || 'nothing yet'}
            </p>
          ))}
          {teams.length > 0 && (
            <p className={styles.source}>
              Teams, which allow nothing in Easel:{' '}
              {teams.map((team) => `${team.name} (${team.permissions.join(', ') || 'no permission'})`).join(', ')}
            </p>
          )}
        </section>
      ))}
      {allows.length === 0 && workspaces.length === 0 && <Note>Nothing, and it belongs to no workspace.</Note>}
    </Card>
  )
}

type SourceLinkProps = { workspace: string; kind: keyof typeof kinds; id: string; name: string | null }

function SourceLink({ workspace, kind, id, name }: SourceLinkProps) {
  const to = kind === 'role' ? paths.role(workspace, id) : paths.permissionSet(workspace, id)
  return (
    <Link to={to} dir="auto">
      {name}
    </Link>
  )
}

function Sessions({ account: { user_name } }: { account: Account }) {
  const { may } = useViewer()
  return (
    <Card title="Where it is signed in">
      {may('sessions.read') ? <SessionList userName={user_name} /> : <Note>You may not see sessions.</Note>}
    </Card>
  )
}

/** What was done to the account, and what it did, from the audit. */
function Changes({ account: { id } }: { account: Account }) {
  const { workspace, may } = useViewer()
  const mayRead = may('audit.read')
  const target = `account:${id}`
  const read = useQuery({ ...reading(getAdminAudit({ target, limit: changesShown })), enabled: mayRead })
  if (!mayRead) return null
  return (
    <Card title="What was done to it">
      {read.data === undefined ? (
        <NoAnswer read={read} what="the audit" />
      ) : (
        <ul className={`${access.list} ${styles.padded}`}>
          {read.data.audit.map(({ id: entry, action, at, actor }) => (
            <li key={entry} className={access.row}>
              <Link to={paths.auditEntry(workspace.id, entry)}>{action}</Link>
              <span className={access.soft} dir="auto">
                {actor.name}
              </span>
              <span className={access.end}>
                <Moment at={at} />
              </span>
            </li>
          ))}
          <li>
            <Link to={paths.audit(workspace.id, { target })}>All of it in the audit</Link>
          </li>
          <li>
            <Link to={paths.audit(workspace.id, { actor: target })}>What this account did</Link>
          </li>
        </ul>
      )}
    </Card>
  )
}
