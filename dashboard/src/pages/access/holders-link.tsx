import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { formatCount } from '../../words/numbers.ts'

type HoldersLinkProps = { count: number | undefined; query: Readonly<Record<string, string>> }

/** How many accounts have something, as a link to their list. */
export function HoldersLink({ count, query }: HoldersLinkProps) {
  if (count === undefined) return <span title="Only administrators of the company see who has it.">-</span>
  if (count === 0) return 'nobody'
  return <Link to={paths.accounts(query)}>{count === 1 ? '1 account' : `${formatCount(count)} accounts`}</Link>
}
