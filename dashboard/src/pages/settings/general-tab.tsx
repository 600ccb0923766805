import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAdminAbout, patchAdminWorkspace } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import styles from './settings.module.css'
import { SettingsForm } from './settings-form.tsx'

const nameCharactersMax = 255

/** The name of the workspace, and its general settings. */
export function GeneralTab() {
  const { workspace } = useViewer()
  const [isRenaming, setIsRenaming] = useState(false)
  const about = useQuery(reading(getAdminAbout()))
  return (
    <>
      <section className={styles.identity} aria-label="Workspace">
        <h2 dir="auto">{workspace.name}</h2>
        <span>
          Id <code>{workspace.id}</code> <CopyButton text={workspace.id} label="Copy the id of the workspace" />
        </span>
        {about.data && (
          <span>
            Systems name a person by <code>{about.data.service_name}_id</code>
          </span>
        )}
        <Button disabledReason={useReason('workspace.edit')} onClick={() => setIsRenaming(true)}>
          Rename
        </Button>
      </section>
      <SettingsForm page="general" />
      {isRenaming && <Rename onClose={() => setIsRenaming(false)} />}
    </>
  )
}

function Rename({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState(workspace.name)
  const rename = useWrite({
    request: () => patchAdminWorkspace({ name: name.trim() }, { workspace: workspace.id }),
    said: () => `The workspace is called "${name.trim()}".`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title="Rename the workspace"
      submit="Rename"
      disabledReason={name.trim() === '' ? 'Give it a name first.' : undefined}
      isPending={rename.isPending}
      refusal={rename.isError && <Refusal error={rename.error} />}
      onSubmit={() => rename.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="The id stays as it is. Roles of an identity provider that name the workspace must be changed there too."
        value={name}
        maxLength={nameCharactersMax}
        onChange={setName}
      />
    </FormDialog>
  )
}
