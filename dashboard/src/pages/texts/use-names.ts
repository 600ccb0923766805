import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  getAdminCatalogsIdItems,
  getAdminCatalogsIdItemsLimits,
  getAdminCatalogsIdSelections,
  getAdminHeadsCatalogs,
  getAdminHeadsContentBlocks,
  getAdminNames,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useViewer } from '../../frame/viewer.tsx'
import type { EditorNames } from '../../ui/liquid-completion.ts'
import { liquidFilters, ownFilters, ownTags, personNames, roots } from '../../words/liquid.ts'

/** The names that texts of this workspace can use, as far as the viewer may read them. */
export function useNames(): EditorNames {
  const { workspace, may } = useViewer()
  const { id } = workspace
  const client = useQueryClient()
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
      ...{ person: personNames, roots, tags: ownTags, filters: [...ownFilters, ...liquidFilters] },
      of: {
        custom_attribute: (attributes.data?.names ?? []).map(({ name }) => name),
        content_blocks: (blocks.data?.content_blocks ?? []).map(({ name }) => name),
      },
      catalogs: (catalogs.data?.catalogs ?? []).map(({ name }) => name),
      inCatalog: async (name, what) => {
        const catalog = catalogs.data?.catalogs.find((each) => each.name === name)
        return catalog === undefined ? [] : namesIn(client, id, catalog.id, what)
      },
    }),
    [attributes.data, blocks.data, catalogs.data, client, id],
  )
}

/** Reads the first items of a catalog, or its selections. */
async function namesIn(client: QueryClient, workspace: string, catalog: string, what: 'items' | 'selections') {
  if (what === 'items') {
    const { maximum: limit } = getAdminCatalogsIdItemsLimits.limit
    const { items } = await client.fetchQuery(reading(getAdminCatalogsIdItems(catalog, { workspace, limit })))
    return items.map((item) => item.id)
  }
  const { selections } = await client.fetchQuery(reading(getAdminCatalogsIdSelections(catalog, { workspace })))
  return selections.map((selection) => selection.name)
}
