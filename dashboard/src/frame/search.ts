import { useNavigate, useSearch } from '@tanstack/react-router'

type Texts = { readonly [name: string]: string | undefined }

/**
 * The query of the page, where filters, the page of a list and the open panel are kept, and a function that changes some of it. What is
 * undefined or empty is removed.
 */
export function usePageSearch<Search extends Texts>() {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = (some: Partial<Search>, { replace = false } = {}) => {
    // The router gives the query that it is on the way to, so that a second change keeps the first one.
    const changed = (current: Search) => {
      const all = Object.entries({ ...current, ...some }).filter(([, value]) => value !== undefined && value !== '')
      return Object.fromEntries(all)
    }
    void navigate({ to: '.', search: changed, replace } as never)
  }
  return [search, change] as const
}

/** The id in the query `panel=kind:id`, and a function that opens another one, or closes the panel. */
export function usePanel(kind: string): readonly [string | undefined, (id: string | undefined) => void] {
  const [{ panel }, change] = usePageSearch<{ panel?: string }>()
  const id = panel?.startsWith(`${kind}:`) ? panel.slice(kind.length + 1) : undefined
  return [id, (next) => change({ panel: next === undefined ? undefined : `${kind}:${next}` })]
}
