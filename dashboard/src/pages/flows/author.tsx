import type { GetAdminCanvasesIdVersionsReply } from '../../api/generated.ts'

type Version = GetAdminCanvasesIdVersionsReply['versions'][number]

/** Who wrote a version. */
export function Author({ author }: Pick<Version, 'author'>) {
  if (author === null) return <span title="The audit does not say it, or you may not read the audit.">-</span>
  return (
    <span dir="auto" title={author.kind.replaceAll('_', ' ')}>
      {author.name}
    </span>
  )
}
