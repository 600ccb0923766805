import { useNavigate } from '@tanstack/react-router'
import { deleteAdminCatalogsId, type GetAdminHeadsCatalogsReply } from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../words/numbers.ts'

type Catalog = GetAdminHeadsCatalogsReply['catalogs'][number]

/** Asks before a catalog is deleted. Its name must be typed. */
export function DeleteCatalog({ catalog, onClose }: { catalog: Catalog; onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const write = useWrite({
    request: () => deleteAdminCatalogsId(catalog.id, { workspace: workspace.id }),
    said: () => `The catalog ${catalog.name} was deleted.`,
    onDone: () => void navigate({ to: paths.catalogs(workspace.id) }),
  })
  return (
    <FormDialog
      title={`Delete ${catalog.name}`}
      submit="Delete"
      danger
      typed={catalog.name}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <p>Its items are deleted ({formatCount(catalog.items)}), and its fields and selections. This cannot be undone.</p>
      {catalog.used_by_count > 0 && (
        <div>
          Mails that look something up in it are no longer sent. It is used by: <UsedBy users={catalog} />
        </div>
      )}
    </FormDialog>
  )
}
