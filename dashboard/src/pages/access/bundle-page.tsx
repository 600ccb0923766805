import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tagged } from '../../api/call.ts'
import { readingTagged } from '../../api/queries.ts'
import { useDraft } from '../../draft/use-draft.ts'
import { NoPermission } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { UnsavedGuard } from '../../frame/unsaved.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/facts.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import styles from './access.module.css'
import { HoldersLink } from './holders-link.tsx'
import { type Bundle, type BundleKind, permissionSets, roles } from './kinds.ts'
import { PermissionMatrix, Together } from './permission-matrix.tsx'
import { StaleRefusal } from './stale-refusal.tsx'
import { useHolders } from './use-holders.ts'

export function RolePage() {
  return <BundlePage kind={roles} />
}

export function PermissionSetPage() {
  return <BundlePage kind={permissionSets} />
}

/** One role or permission set: its name, what it allows, and who has it. */
function BundlePage({ kind }: { kind: BundleKind }) {
  const { workspace, may } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const isReadable = may(`${kind.noun}.read`)
  const operation = kind.read(id, { workspace: workspace.id })
  const read = useQuery({ ...readingTagged(operation, JSON.parse), enabled: isReadable })
  useFeed(operation)
  if (!isReadable) return <NoPermission what={kind.title} ability={`${kind.noun}.read`} />
  if (read.data === undefined) return <NoAnswer read={read} what={`the ${kind.one}`} />
  return <Editor key={id} kind={kind} read={read.data} onReadAgain={() => void read.refetch()} />
}

type EditorProps = { kind: BundleKind; read: Tagged<unknown>; onReadAgain: () => void }

function Editor({ kind, read, onReadAgain }: EditorProps) {
  const { workspace } = useViewer()
  const stored = kind.found(read.reply)
  const place = { workspace: workspace.id }
  const draft = useDraft(`${kind.noun} ${workspace.id} ${stored.id}`, {
    document: { name: stored.name, permissions: stored.permissions },
    tag: read.tag,
  })
  const { name, permissions } = draft.document
  const permit = useReason(`${kind.noun}.edit`)
  const save = useWrite({
    request: (tag: string | null) => ({
      ...kind.change(stored.id, { name: name.trim(), permissions }, place),
      ...(tag !== null && { ifMatch: tag }),
    }),
    said: () => `The ${kind.one} is saved. It holds from now on.`,
    onDone: () => draft.forget(),
  })
  const take = () => {
    draft.discard()
    save.reset()
    onReadAgain()
  }
  const reason = permit ?? (draft.isChanged ? undefined : 'Nothing has changed.')
  return (
    <div className={styles.stack}>
      <title>{`${stored.name} - Easel`}</title>
      <Head kind={kind} bundle={stored}>
        <Button
          look="main"
          disabledReason={save.isPending ? 'The request is on its way.' : reason}
          onClick={() => save.mutate(draft.saved.tag)}
        >
          {save.isPending ? 'Saving ...' : 'Save'}
        </Button>
        {draft.isChanged && <Button onClick={() => draft.discard()}>Discard changes</Button>}
      </Head>
      {save.isError && <StaleRefusal error={save.error} onOverwrite={() => save.mutate(null)} onTake={take} />}
      <About
        kind={kind}
        bundle={stored}
        name={name}
        onName={(next) => draft.set(['name'], next)}
        isLocked={permit !== undefined}
      />
      <Card title="What it allows">
        <div className={styles.body}>
          <Together names={permissions} />
        </div>
      </Card>
      <Card title="Permissions">
        <PermissionMatrix
          level="workspace"
          chosen={permissions}
          isLocked={permit !== undefined}
          onChoose={(next) => draft.set(['permissions'], next)}
        />
      </Card>
      <UnsavedGuard isChanged={draft.isChanged && !save.isPending} />
    </div>
  )
}

type AboutProps = { kind: BundleKind; bundle: Bundle; name: string; onName: (name: string) => void; isLocked: boolean }

function About({ kind, bundle, name, onName, isLocked }: AboutProps) {
  const { workspace } = useViewer()
  const holders = useHolders(kind.noun)
  return (
    <Card title="What it is">
      <div className={styles.body}>
        <TextField label="Name" value={name} maxLength={255} readOnly={isLocked} onChange={onName} />
      </div>
      <Facts
        facts={[
          { name: 'Id', value: <code>{bundle.id}</code> },
          {
            name: 'Who has it',
            value: <HoldersLink count={holders(bundle.id)} query={kind.holders(bundle.id, workspace.id)} />,
          },
        ]}
      />
    </Card>
  )
}

function Head({ kind, bundle, children }: { kind: BundleKind; bundle: Bundle; children: React.ReactNode }) {
  const { workspace } = useViewer()
  const [isEnding, setIsEnding] = useState(false)
  const reason = useReason(`${kind.noun}.end`)
  return (
    <div>
      <p>
        <Link to={paths.access(workspace.id, { tab: kind.noun })}>{kind.title}</Link>
      </p>
      <div className={styles.row}>
        <h1 className={styles.title} dir="auto">
          {bundle.name}
        </h1>
        <span className={`${styles.buttons} ${styles.end}`}>
          {children}
          <Button disabledReason={reason} onClick={() => setIsEnding(true)}>
            Delete
          </Button>
        </span>
      </div>
      {isEnding && <EndBundle kind={kind} bundle={bundle} onClose={() => setIsEnding(false)} />}
    </div>
  )
}

function EndBundle({ kind, bundle, onClose }: { kind: BundleKind; bundle: Bundle; onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const place = { workspace: workspace.id }
  const operation = kind.end(bundle.id, place)
  const end = useWrite({
    request: () => operation,
    said: () => `The ${kind.one} "${bundle.name}" is deleted.`,
    onDone: () => void navigate({ to: paths.access(workspace.id, { tab: kind.noun }) }),
    ends: operation.path,
  })
  return (
    <FormDialog
      title={`Delete the ${kind.one} "${bundle.name}"?`}
      submit="Delete"
      danger
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(undefined)}
      onClose={onClose}
    >
      <p>Only a {kind.one} that no account has can be deleted.</p>
    </FormDialog>
  )
}
