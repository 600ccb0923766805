import type { GetAdminAuditIdReply } from '../../api/generated.ts'
import { Moment } from '../../frame/viewer.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import styles from './audit.module.css'

type Entry = GetAdminAuditIdReply['entry']

const actorKinds: Readonly<Record<Entry['actor']['kind'], string>> = {
  account: 'account',
  scim: 'SCIM token',
  admin: 'admin token',
  system: 'Easel',
  key: 'API key',
  anonymous: 'nobody who was recognised',
}

/** The author of a row, with the name at that time. */
export function actorName({ actor: { kind, name } }: Pick<Entry, 'actor'>): string {
  return kind === 'account' || kind === 'key' || kind === 'scim' ? `${name} (${actorKinds[kind]})` : actorKinds[kind]
}

export function thingName({ target: { kind, id, name } }: Pick<Entry, 'target'>): string {
  return `${kind} ${name ?? id}`
}

/** One audit row, with what was before and after. */
export function AuditContent({ entry }: { entry: Entry }) {
  const { at, actor, from, action, target, workspace, before, after } = entry
  return (
    <>
      <Card title="Who and what">
        <Facts
          facts={[
            { name: 'At', value: <Moment at={at} full /> },
            { name: 'Who', value: actorName(entry) },
            ...(actor.id === '' || actor.id === actor.kind ? [] : [{ name: 'Id', value: actor.id }]),
            { name: 'What', value: action },
            { name: 'Thing', value: thingName(entry) },
            { name: 'Its id', value: target.id },
            { name: 'Workspace', value: workspace ?? 'the whole installation' },
            { name: 'From', value: from.ip === '' ? 'this machine' : from.ip },
            { name: 'Request id', value: from.request_id === '' ? '-' : from.request_id },
          ]}
        />
      </Card>
      <Card title={before && after ? 'What was changed' : before ? 'What was there before' : 'What is recorded'}>
        <Difference before={before} after={after} />
      </Card>
    </>
  )
}

type Values = Entry['before']

/** The recorded properties, each with its value before and after. */
function Difference({ before, after }: { before: Values; after: Values }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return <Note>No property differs. Only a secret was changed, or nothing is recorded.</Note>
  return (
    <Facts
      facts={names.map((name) => ({
        name,
        value: (
          <span className={styles.change}>
            {before && Object.hasOwn(before, name) && (
              <span>
                {after && <span className={styles.when}>before </span>}
                <del className={styles.before}>{written(before[name])}</del>
              </span>
            )}
            {after && Object.hasOwn(after, name) && (
              <span>
                {before && <span className={styles.when}>after </span>}
                <ins className={styles.after}>{written(after[name])}</ins>
              </span>
            )}
          </span>
        ),
      }))}
    />
  )
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
