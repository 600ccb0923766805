import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Tagged } from '../../api/call.ts'
import {
  deleteAdminEmailTemplatesId,
  type GetAdminEmailTemplatesIdReply,
  getAdminEmailTemplatesId,
  getAdminHeadsEmailTemplates,
  patchAdminEmailTemplatesId,
} from '../../api/generated.ts'
import { readingTagged } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Card, Facts } from '../../ui/facts.tsx'
import { TextField } from '../../ui/form.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DeleteButton } from '../texts/delete-button.tsx'
import { InsertImage } from '../texts/insert-image.tsx'
import { PersonPicker, useChosenPerson } from '../texts/person-picker.tsx'
import { PreviewPane } from '../texts/preview-pane.tsx'
import { SaveBar } from '../texts/save-bar.tsx'
import { SendTest } from '../texts/send-test.tsx'
import { useDraft } from '../texts/text-draft.ts'
import { insertMenus, LiquidField } from '../texts/text-field.tsx'
import styles from '../texts/texts.module.css'
import { useNames } from '../texts/use-names.ts'
import { usePreview } from '../texts/use-preview.ts'

const nameCharactersMax = 255

/** One template: its texts, how a person gets them, and what uses it. */
export function TemplatePage() {
  const { workspace } = useViewer()
  const list = paths.templates(workspace.id)
  return (
    <ThingPage
      list={{ title: 'Templates', one: 'template', path: list }}
      operation={getAdminHeadsEmailTemplates({ workspace: workspace.id })}
      headsOf={({ email_templates }) => email_templates}
      sentence={({ subject }) => `Subject: ${subject}`}
      actions={(template) => (
        <DeleteButton
          {...{ one: 'template', name: template.name, users: template, to: list, ability: 'email_templates.end' }}
          operation={deleteAdminEmailTemplatesId(template.id, { workspace: workspace.id })}
        />
      )}
    >
      {(template) => (
        <>
          <Texts id={template.id} />
          <Card title="What it is">
            <Facts
              facts={[
                ...(template.description === '' ? [] : [{ name: 'Description', value: template.description }]),
                ...(template.tags.length === 0 ? [] : [{ name: 'Tags', value: template.tags.join(', ') }]),
                { name: 'Used by', value: <UsedBy users={template} /> },
                { name: 'Changed', value: <Moment at={template.updated_at} full /> },
              ]}
            />
          </Card>
        </>
      )}
    </ThingPage>
  )
}

function Texts({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(readingTagged(getAdminEmailTemplatesId(id, { workspace: workspace.id }), JSON.parse))
  if (read.data === undefined) return <NoAnswer read={read} what="the texts" />
  return <TemplateEditor id={id} stored={textsOf(read.data)} />
}

function textsOf({ reply, tag }: Tagged<GetAdminEmailTemplatesIdReply>) {
  const { name, subject, preheader = '', body, plaintext_body = '' } = reply.email_template
  return { tag, reply: { name, subject, preheader, body, plaintext_body } }
}

type Stored = ReturnType<typeof textsOf>
type Body = 'body' | 'plaintext_body'
const bodies = [
  { key: 'body', label: 'HTML' },
  { key: 'plaintext_body', label: 'Text' },
] as const

function TemplateEditor({ id, stored }: { id: string; stored: Stored }) {
  const { workspace } = useViewer()
  const draft = useDraft(`template ${workspace.id} ${id}`, stored)
  const { name, subject, preheader, body, plaintext_body } = draft.texts
  const { person, choose } = useChosenPerson()
  const [shown, setShown] = useState<Body>('body')
  const names = useNames()
  const readOnly = useReason('email_templates.edit') !== undefined
  const mail = {
    email_template_id: id,
    ...{ subject, preheader, body },
    ...((plaintext_body !== '' || stored.reply.plaintext_body !== '') && { plaintext_body }),
  }
  const shownMail = { mail, ...(person && { person: person.id }) }
  const preview = usePreview(shownMail, 'messages.test')
  const common = { names, readOnly, mistakes: preview.mistakes }
  const set = (field: keyof typeof draft.texts) => (text: string) => draft.set({ [field]: text })
  return (
    <div className={styles.work}>
      <div className={styles.whole}>
        <SaveBar
          draft={draft}
          ability="email_templates.edit"
          request={(changes, ifMatch) => ({
            ...patchAdminEmailTemplatesId(id, changes, { workspace: workspace.id }),
            ...(ifMatch !== null && { ifMatch }),
          })}
        >
          <PersonPicker person={person} onChoose={choose} />
          <SendTest body={shownMail} />
        </SaveBar>
      </div>
      <div className={styles.fields}>
        <TextField label="Name" value={name} maxLength={nameCharactersMax} readOnly={readOnly} onChange={set('name')} />
        <LiquidField {...common} label="Subject" text="subject" value={subject} isOneLine onChange={set('subject')} />
        <LiquidField
          {...{ ...common, label: 'Preheader', text: 'preheader', value: preheader }}
          isOneLine
          onChange={set('preheader')}
        />
        <div>
          <Tabs<Body> label="Bodies" tabs={bodies} selected={shown} onSelect={setShown}>
            {shown === 'body' ? (
              <LiquidField
                {...{ ...common, label: 'HTML', text: 'body', value: body }}
                key="body"
                onChange={set('body')}
                inserts={(insert) => (
                  <>
                    {insertMenus(names, insert)}
                    <InsertImage insert={insert} />
                  </>
                )}
              />
            ) : (
              <LiquidField
                {...{ ...common, label: 'Plain text', text: 'plaintext_body', value: plaintext_body }}
                key="text"
                onChange={set('plaintext_body')}
                inserts={(insert) => insertMenus(names, insert)}
              />
            )}
          </Tabs>
        </div>
      </div>
      <PreviewPane preview={preview} ability="messages.test" hasText />
    </div>
  )
}
