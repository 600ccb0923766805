import {
  getAdminHeadsContentBlocks,
  type PostAdminContentBlocksReply,
  postAdminContentBlocks,
} from '../../api/generated.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { TextList } from '../texts/text-list.tsx'

/** What a new block begins with. It is a draft, so that nothing includes it before it is ready. */
const example = { content: '<p>Best wishes, the shop</p>\n', state: 'draft' } as const

/** All texts that templates include. */
export function BlocksPage() {
  const { workspace } = useViewer()
  return (
    <TextList
      title="Blocks"
      what="blocks"
      one="block"
      operation={getAdminHeadsContentBlocks({ workspace: workspace.id })}
      headsOf={({ content_blocks }) => content_blocks}
      pathOf={(id) => paths.block(workspace.id, id)}
      sentence="Texts that templates and messages include by their names."
      column={{ head: 'Begins with', cell: ({ first_line }) => <code dir="auto">{first_line}</code> }}
      ability="content_blocks.edit"
      hint="Texts include the block by this name: letters, digits, dashes and underscores. It cannot change once the block is active."
      make={(name) => postAdminContentBlocks({ name, ...example }, { workspace: workspace.id })}
      idOf={(reply) => (reply as PostAdminContentBlocksReply).content_block.id}
      empty={
        <>
          A block is a text that many templates include, such as a footer. Make one here. Systems make them with{' '}
          <code>/content_blocks/create</code>, and the workspace file can have them too.
        </>
      }
    />
  )
}
