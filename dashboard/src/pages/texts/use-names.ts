import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getAdminHeadsCatalogs, getAdminHeadsContentBlocks, getAdminNames } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useViewer } from '../../frame/viewer.tsx'
import type { EditorNames } from '../../ui/code-editor.tsx'
import { ownFilters, ownTags, personNames, roots } from '../../words/liquid.ts'

/** The names that texts of this workspace can use, as far as the viewer may read them. */
export function useNames(): EditorNames {
  const { workspace, may } = useViewer()
  const { id } = workspace
  const attributes = useQuery({
    ...reading(getAdminNames({ workspace: id, kind: 'attribute' })),
    enabled: may('segments.read'),
  })
  const blocks = useQuery({
    ...reading(getAdminHeadsContentBlocks({ workspace: id })),
    enabled: may('content_blocks.read'),
  })
  const catalogs = useQuery({ ...reading(getAdminHeadsCatalogs({ workspace: id })), enabled: may('catalogs.read') })
  return useMemo(
    () => ({
      ...{ person: personNames, roots, tags: ownTags, filters: ownFilters },
      of: {
        custom_attribute: (attributes.data?.names ?? []).map(({ name }) => name),
        content_blocks: (blocks.data?.content_blocks ?? []).map(({ name }) => name),
      },
      catalogs: (catalogs.data?.catalogs ?? []).map(({ name }) => name),
    }),
    [attributes.data, blocks.data, catalogs.data],
  )
}
