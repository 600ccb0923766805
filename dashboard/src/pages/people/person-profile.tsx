import type { ReactNode } from 'react'
import { type GetAdminPeopleIdReply, getAdminPeopleId } from '../../api/generated.ts'
import { useFeed } from '../../frame/feed.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Card, type Fact, Facts, Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { formatCount, formatNumber } from '../../words/numbers.ts'
import { Confirmations } from './confirmations-card.tsx'
import { EmailState } from './email-state.tsx'
import styles from './person-page.module.css'

type PartProps = { reply: GetAdminPeopleIdReply }

/** Everything that is kept about a person, in cards. */
export function Profile({ reply }: PartProps) {
  const { workspace } = useViewer()
  useFeed(getAdminPeopleId(reply.person.id, { workspace: workspace.id }))
  return (
    <div className={styles.cards}>
      <div className={styles.column}>
        <Identity reply={reply} />
        <Consent reply={reply} />
        <Confirmations reply={reply} />
        <Standard reply={reply} />
      </div>
      <div className={styles.column}>
        <Attributes reply={reply} />
        <Occurrences title="Events of the last 90 days" list="custom_events" reply={reply} />
        <Occurrences title="Purchases of the last 90 days" list="purchases" reply={reply} />
        <Flows reply={reply} />
        <Devices reply={reply} />
      </div>
    </div>
  )
}

export function Identity({ reply: { person, record, cohorts } }: PartProps) {
  const aliases = (record.user_aliases ?? []).map(({ alias_label, alias_name }) => `${alias_label}:${alias_name}`)
  const cohortNames = cohorts.map(({ partner, name }) => `${name} (${partner})`)
  return (
    <Card title="Who">
      <Facts
        facts={[
          { name: 'External id', value: <Value of={person.external_id} /> },
          { name: 'Aliases', value: <Value of={aliases.length === 0 ? null : aliases.join('\n')} /> },
          { name: 'E-mail', value: <Value of={person.email} /> },
          { name: 'Phone', value: <Value of={person.phone} /> },
          ...(cohorts.length > 0 ? [{ name: 'Cohorts', value: <Value of={cohortNames.join('\n')} /> }] : []),
          { name: 'Created', value: <Moment at={person.created_at} full /> },
          { name: 'Changed', value: <Moment at={person.updated_at} full /> },
        ]}
      />
    </Card>
  )
}

function Consent({ reply: { person, record, email_suppressions, subscription_groups } }: PartProps) {
  const groups = subscription_groups.map(({ name, channel, status }): Fact => {
    const family = status === 'Subscribed' ? 'sent' : 'held'
    return { name: `${name} (${channel})`, value: <Mark family={family}>{status.toLowerCase()}</Mark> }
  })
  return (
    <Card title="What may be sent">
      <Facts
        facts={[
          { name: 'Mail', value: <EmailState state={person.email_subscribe} /> },
          { name: 'Push', value: <EmailState state={record.push_subscribe ?? 'subscribed'} /> },
          ...email_suppressions.map((reason) => ({
            name: 'Suppressed',
            value: <Mark family="held">{reason.replaceAll('_', ' ')}</Mark>,
          })),
          ...groups,
        ]}
      />
    </Card>
  )
}

const standardFields = [
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['gender', 'Gender'],
  ['dob', 'Date of birth'],
  ['country', 'Country'],
  ['home_city', 'City'],
  ['language', 'Language'],
  ['time_zone', 'Time zone'],
] as const

function Standard({ reply: { record } }: PartProps) {
  const facts = standardFields.flatMap(([field, name]) => {
    const value = record[field]
    return value === undefined ? [] : [{ name, value: <span dir="auto">{value}</span> }]
  })
  return (
    <Card title="Standard attributes">
      <Facts facts={facts} empty="None is set." />
    </Card>
  )
}

export function Attributes({ reply: { record } }: PartProps) {
  const facts = Object.entries(record.custom_attributes ?? {})
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => ({ name, value: <Value of={value} /> }))
  return (
    <Card title="Custom attributes">
      <Facts facts={facts} empty="None is set." />
    </Card>
  )
}

/** Events or purchases, summed up by name. */
function Occurrences({ title, list, reply }: PartProps & { title: string; list: 'custom_events' | 'purchases' }) {
  const { zoneLabel } = useViewer()
  const rows = reply.record[list] ?? []
  const total = reply.list_totals[list]
  if (rows.length === 0) return null
  return (
    <Card title={title}>
      <table className={styles.list}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" className={styles.number}>
              Times
            </th>
            <th scope="col" className={styles.number}>
              Last ({zoneLabel})
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, count, last }) => (
            <tr key={name}>
              <td>{name}</td>
              <td className={styles.number}>{formatCount(count)}</td>
              <td className={styles.number}>
                <Moment at={last} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total !== undefined && <Note>{`The first ${formatCount(rows.length)} of ${formatCount(total)}.`}</Note>}
    </Card>
  )
}

function Flows({ reply: { record } }: PartProps) {
  const canvases = (record.canvases_received ?? []).map(({ name, last_entered }) => ({ name, at: last_entered }))
  const campaigns = (record.campaigns_received ?? []).map(({ name, last_received }) => ({ name, at: last_received }))
  const facts = [...canvases, ...campaigns].map(({ name, at }) => ({ name, value: at ? <Moment at={at} /> : '-' }))
  if (facts.length === 0) return null
  return (
    <Card title="Canvases and campaigns">
      <Facts facts={facts} />
    </Card>
  )
}

function Devices({ reply: { record } }: PartProps) {
  const devices = (record.devices ?? []).map(({ device_id, model, os }) => {
    return { name: model ?? 'Device', value: [os, device_id].filter((part) => part !== undefined).join(', ') }
  })
  const apps = (record.apps ?? []).map(({ name, version, sessions }) => {
    return { name, value: `${version ?? 'version unknown'}, ${formatCount(sessions)} sessions` }
  })
  if (devices.length + apps.length === 0) return null
  return (
    <Card title="Devices and apps">
      <Facts facts={[...devices, ...apps]} />
    </Card>
  )
}

const charactersMax = 2_000

/** A value as it was sent. A very long one is cut: the JSON has it whole. */
function Value({ of }: { of: unknown }): ReactNode {
  if (of === null || of === undefined) return '-'
  if (typeof of === 'number') return formatNumber(of)
  const text = typeof of === 'string' ? of : JSON.stringify(of, null, 1)
  const isLong = text.length > charactersMax
  return (
    <span className={styles.value} dir="auto">
      {isLong ? `${text.slice(0, charactersMax)}...` : text}
    </span>
  )
}
