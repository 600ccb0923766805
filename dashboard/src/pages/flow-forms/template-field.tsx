import { useQuery } from '@tanstack/react-query'
import { getAdminEmailTemplatesId, getAdminHeadsEmailTemplates } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { formatPath, type Path, withValue } from '../../draft/path.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './email-form.module.css'
import { LineField, WordField } from './fields.tsx'
import { useFlowForm, useText } from './form-context.ts'
import { membersAt } from './members.ts'

/** A template from which the texts come that the mail does not have itself. They can be copied, to change them here. */
export function TemplateField({ path }: { path: Path }) {
  const { workspace, may } = useViewer()
  const mayRead = may('email_templates.read')
  const at = [...path, 'email_template_id']
  const { text: id } = useText(at)
  const read = useQuery({
    ...reading(getAdminHeadsEmailTemplates({ workspace: workspace.id })),
    enabled: mayRead,
  })
  if (!mayRead || read.isError) return <LineField path={at} label="Template" />
  const templates = read.data?.email_templates ?? []
  const choices = [{ value: '', label: 'None' }, ...templates.map(({ id: value, name }) => ({ value, label: name }))]
  return (
    <div className={styles.fields}>
      <WordField path={at} label="Template" choices={choices} otherwise="" />
      {id !== '' && templates.some((template) => template.id === id) && <CopyTexts path={path} id={id} />}
    </div>
  )
}

/** Copies the texts of a template into the mail, which then names it no more. */
function CopyTexts({ path, id }: { path: Path; id: string }) {
  const { edits } = useFlowForm()
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminEmailTemplatesId(id, { workspace: workspace.id })))
  const template = read.data?.email_template
  const copy = () => {
    const { subject, preheader, body, plaintext_body, should_inline_css } = template!
    edits.change(
      (document) => {
        const { email_template_id: _, ...email } = membersAt(document, path)
        const texts = { subject, preheader, body, plaintext_body, should_inline_css }
        // What the mail has itself goes before the template, so it stays.
        const copied = Object.entries(texts).filter(([name, text]) => text !== undefined && email[name] === undefined)
        return withValue(document, path, { ...email, ...Object.fromEntries(copied) })
      },
      `${formatPath(path)} template`,
    )
  }
  return (
    <span className={styles.hint}>
      Texts that are empty here come from it.{' '}
      <Button look="quiet" disabledReason={template ? undefined : 'The template is read now.'} onClick={copy}>
        Copy its texts to change them here
      </Button>
    </span>
  )
}
