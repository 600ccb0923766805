import { useQuery } from '@tanstack/react-query'
import {
  deleteAdminContentBlocksId,
  type GetAdminHeadsContentBlocksReply,
  getAdminContentBlocksId,
  getAdminHeadsContentBlocks,
  patchAdminContentBlocksId,
} from '../../api/generated.ts'
import { readingTagged } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/facts.tsx'
import { DeleteButton } from '../texts/delete-button.tsx'
import { InsertImage } from '../texts/insert-image.tsx'
import { PersonPicker, useChosenPerson } from '../texts/person-picker.tsx'
import { PreviewPane } from '../texts/preview-pane.tsx'
import { SaveBar } from '../texts/save-bar.tsx'
import { useDraft } from '../texts/text-draft.ts'
import { insertMenus, LiquidField } from '../texts/text-field.tsx'
import styles from '../texts/texts.module.css'
import { useNames } from '../texts/use-names.ts'
import { usePreview } from '../texts/use-preview.ts'

type Block = GetAdminHeadsContentBlocksReply['content_blocks'][number]

/** One block: its text, how a person gets it, and what includes it. */
export function BlockPage() {
  const { workspace } = useViewer()
  const list = paths.blocks(workspace.id)
  return (
    <ThingPage
      list={{ title: 'Blocks', one: 'block', path: list }}
      operation={getAdminHeadsContentBlocks({ workspace: workspace.id })}
      headsOf={({ content_blocks }) => content_blocks}
      sentence={({ name }) => (
        <>
          Texts include it as <code>{`{{content_blocks.\${${name}}}}`}</code>.
        </>
      )}
      actions={(block) => (
        <>
          {block.state === 'draft' && <ActivateButton id={block.id} />}
          <DeleteButton
            {...{ one: 'block', name: block.name, users: block, to: list, ability: 'content_blocks.end' }}
            operation={deleteAdminContentBlocksId(block.id, { workspace: workspace.id })}
          />
        </>
      )}
    >
      {(block) => (
        <>
          <Content block={block} />
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
        </>
      )}
    </ThingPage>
  )
}

/** Lets texts include the block. Its name cannot change from then on. */
function ActivateButton({ id }: { id: string }) {
  const { workspace } = useViewer()
  const reason = useReason('content_blocks.launch')
  const activate = useWrite({
    request: () => patchAdminContentBlocksId(id, { state: 'active' }, { workspace: workspace.id }),
    said: () => 'Texts can include the block now.',
  })
  return (
    <>
      <Button disabledReason={reason} onClick={() => activate.mutate(undefined)}>
        Activate
      </Button>
      {activate.isError && (
        <div className={styles.refusal} role="alert">
          <Refusal error={activate.error} />
        </div>
      )}
    </>
  )
}

function Content({ block }: { block: Block }) {
  const { workspace } = useViewer()
  const read = useQuery(readingTagged(getAdminContentBlocksId(block.id, { workspace: workspace.id }), JSON.parse))
  if (read.data === undefined) return <NoAnswer read={read} what="the text" />
  const { content } = read.data.reply.content_block
  return <BlockEditor block={block} stored={{ tag: read.data.tag, reply: { content } }} />
}

type BlockEditorProps = { block: Block; stored: { tag: string | null; reply: { content: string } } }

function BlockEditor({ block: { id, state }, stored }: BlockEditorProps) {
  const { workspace } = useViewer()
  const draft = useDraft(`block ${workspace.id} ${id}`, stored)
  const { content } = draft.texts
  const { person, choose } = useChosenPerson()
  const names = useNames()
  const isDraft = state === 'draft'
  const reasons = [useReason('content_blocks.edit'), useReason('content_blocks.launch')]
  const missing = isDraft ? reasons[0] : (reasons[0] ?? reasons[1])
  const shown = { content_block: { content_block_id: id, content }, ...(person && { person: person.id }) }
  const preview = usePreview(shown, 'messages.test')
  return (
    <div className={styles.work}>
      <div className={styles.whole}>
        <SaveBar
          draft={draft}
          ability={reasons[0] === undefined && !isDraft ? 'content_blocks.launch' : 'content_blocks.edit'}
          request={(changes, ifMatch) => ({
            ...patchAdminContentBlocksId(id, { ...changes, ...(isDraft && { state }) }, { workspace: workspace.id }),
            ...(ifMatch !== null && { ifMatch }),
          })}
        >
          <PersonPicker person={person} onChoose={choose} />
        </SaveBar>
      </div>
      <div className={styles.fields}>
        <LiquidField
          label="Text"
          text="content"
          value={content}
          names={names}
          readOnly={missing !== undefined}
          mistakes={preview.mistakes}
          onChange={(text) => draft.set({ content: text })}
          inserts={(insert) => (
            <>
              {insertMenus(names, insert)}
              <InsertImage insert={insert} />
            </>
          )}
        />
      </div>
      <PreviewPane preview={preview} ability="messages.test" hasText={false} />
    </div>
  )
}
