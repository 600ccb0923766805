import { useQuery } from '@tanstack/react-query'
import { getAdminContentBlocksId, getAdminHeadsContentBlocks } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, Facts } from '../../ui/facts.tsx'

/** One block: its text, and what includes it. */
export function BlockPage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      list={{ title: 'Blocks', one: 'block', path: paths.blocks(workspace.id) }}
      operation={getAdminHeadsContentBlocks({ workspace: workspace.id })}
      headsOf={({ content_blocks }) => content_blocks}
      sentence={({ name }) => (
        <>
          Texts include it as <code>{`{{content_blocks.\${${name}}}}`}</code>.
        </>
      )}
    >
      {(block) => (
        <>
          <Card title="What it is">
            <Facts
              facts={[
                ...(block.description === '' ? [] : [{ name: 'Description', value: block.description }]),
                ...(block.tags.length === 0 ? [] : [{ name: 'Tags', value: block.tags.join(', ') }]),
                { name: 'State', value: block.state === 'draft' ? 'draft: it renders as nothing' : block.state },
                { name: 'Used by', value: <UsedBy users={block} /> },
                { name: 'Changed', value: <Moment at={block.updated_at} full /> },
              ]}
            />
          </Card>
          <Content id={block.id} />
        </>
      )}
    </ThingPage>
  )
}

function Content({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminContentBlocksId(id, { workspace: workspace.id })))
  if (read.data === undefined) return <NoAnswer read={read} what="the text" />
  return (
    <Card title="Text">
      <CodeBlock label="The text">{read.data.content_block.content}</CodeBlock>
    </Card>
  )
}
