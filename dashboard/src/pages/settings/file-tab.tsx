import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { getAdminFile } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './settings.module.css'

const ApplyFile = lazy(() => import('./apply-file.tsx'))

/** The workspace as a file, and applying another one. */
export function FileTab() {
  const { workspace } = useViewer()
  const operation = getAdminFile({ workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const reason = useReason('file.apply')
  return (
    <div className={styles.tab}>
      <section className={styles.group} aria-label="This workspace as a file">
        <h2>This workspace as a file</h2>
        <p>
          Everything of the workspace but its people, secrets, pictures and items of catalogs. Applied to another
          installation it makes the same workspace.
        </p>
        {read.data === undefined ? (
          <NoAnswer read={read} what="the file" />
        ) : (
          <FileText {...read.data} id={workspace.id} />
        )}
      </section>
      <section className={styles.group} aria-label="Apply a file">
        <h2>Apply a file</h2>
        {reason === undefined ? (
          <Suspense fallback={<LoadingRows what="the editor" />}>
            <ApplyFile />
          </Suspense>
        ) : (
          <p>{reason}</p>
        )}
      </section>
    </div>
  )
}

type FileTextProps = {
  id: string
  file: string | object
  omitted: readonly { readonly path: string; readonly member: string; readonly note: string }[]
}

function FileText({ id, file, omitted }: FileTextProps) {
  const text = String(file)
  return (
    <>
      <div className={styles.buttons}>
        <CopyButton text={text} label="Copy the file">
          Copy
        </CopyButton>
        <a
          className={buttonClass()}
          download={`${id}.yaml`}
          href={`data:application/yaml;charset=utf-8,${encodeURIComponent(text)}`}
        >
          Download
        </a>
      </div>
      {omitted.length > 0 && (
        <details>
          <summary>{omitted.length === 1 ? '1 secret is' : `${omitted.length} secrets are`} not in the file</summary>
          <ul>
            {omitted.map(({ path, member, note }) => (
              <li key={`${path} ${member}`}>
                <code>{path}</code> {member} {note}.
              </li>
            ))}
          </ul>
        </details>
      )}
      <div className={styles.file}>
        <CodeBlock label="The file">{text}</CodeBlock>
      </div>
    </>
  )
}
