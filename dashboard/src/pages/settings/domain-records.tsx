import { useQuery } from '@tanstack/react-query'
import {
  type GetAdminDkimKeysIdRecordsReply,
  getAdminDkimKeysIdRecords,
  postAdminDkimKeysIdCheck,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { type Family, Mark } from '../../ui/mark.tsx'
import styles from './settings.module.css'

type DnsRecord = GetAdminDkimKeysIdRecordsReply['records'][number]

const titles: Readonly<Record<DnsRecord['purpose'], string>> = {
  dkim: 'DKIM, the signature',
  spf: 'SPF, the servers that send',
  dmarc: 'DMARC, the policy',
  return_path: 'Return path, returned mail',
  links: 'Links in mails',
}

const states: Readonly<Record<DnsRecord['state'], readonly [family: Family, word: string]>> = {
  found: ['sent', 'found'],
  missing: ['failed', 'missing'],
  different: ['held', 'different'],
  unknown: ['uncertain', 'not known'],
  not_checked: ['control', 'not checked'],
}

/** The records that DNS should have for a domain, and a button that asks which of them it has. */
export function DomainRecords({ id, name }: { id: string; name: string }) {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id }
  const read = useQuery(reading(getAdminDkimKeysIdRecords(id, query)))
  const check = useWrite({
    request: () => postAdminDkimKeysIdCheck(id, query),
    said: ({ records }) => {
      const found = records.filter(({ state }) => state === 'found').length
      return found === records.length ? 'DNS has everything.' : `DNS has ${found} of ${records.length} records.`
    },
  })
  const records = check.data?.records ?? read.data?.records
  if (records === undefined) return <NoAnswer read={read} what="records" />
  return (
    <>
      <ul className={styles.records} aria-label={`Records of ${name}`}>
        {records.map((record) => (
          <RecordLine key={record.purpose} record={record} />
        ))}
      </ul>
      {check.isError && (
        <div className={styles.refusal} role="alert">
          <Refusal error={check.error} />
        </div>
      )}
      <Button
        look="main"
        disabledReason={check.isPending ? 'DNS is asked now.' : undefined}
        onClick={() => check.mutate(undefined)}
        aria-label={`Check DNS of ${name}`}
      >
        {check.isPending ? 'Asking DNS ...' : 'Check DNS'}
      </Button>
    </>
  )
}

function RecordLine({ record }: { record: DnsRecord }) {
  const [family, word] = states[record.state]
  return (
    <li className={styles.record} data-state={record.state}>
      <div className={styles.recordHead}>
        <h3>{titles[record.purpose]}</h3>
        <Mark family={family}>{word}</Mark>
      </div>
      <p className={styles.hint}>{record.explanation}</p>
      <dl className={styles.dns}>
        <dt>Name</dt>
        <dd>
          <code>{record.name}</code>{' '}
          <CopyButton text={record.name} label={`Copy the name of the ${record.purpose} record`} />
        </dd>
        <dt>Type</dt>
        <dd>{record.type === 'A' ? 'A, AAAA or CNAME' : record.type}</dd>
        <dt>Value</dt>
        <dd>
          {record.value === null ? (
            'the address of this server, or of the proxy in front of it'
          ) : (
            <>
              <code>{record.value}</code>{' '}
              <CopyButton text={record.value} label={`Copy the value of the ${record.purpose} record`} />
            </>
          )}
        </dd>
        {record.found.length > 0 && (
          <>
            <dt>DNS has</dt>
            <dd>
              {record.found.map((value) => (
                <code key={value} className={styles.found}>
                  {value}
                </code>
              ))}
            </dd>
          </>
        )}
      </dl>
      {record.state !== 'not_checked' && <p>{record.sentence}</p>}
    </li>
  )
}
