import {
  getAdminHeadsEmailTemplates,
  type PostAdminEmailTemplatesReply,
  postAdminEmailTemplates,
} from '../../api/generated.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { TextList } from '../texts/text-list.tsx'

/** What a new template begins with. */
const example = {
  subject: "Hello, {{${first_name} | default: 'friend'}}",
  body: `<h1>Hello, {{\${first_name} | default: 'friend'}}</h1>
<p>Write your mail here.</p>
<p><a href="{{\${set_user_to_unsubscribed_url}}}">Unsubscribe</a></p>
`,
}

/** All stored e-mails. */
export function TemplatesPage() {
  const { workspace } = useViewer()
  return (
    <TextList
      title="Templates"
      what="templates"
      one="template"
      operation={getAdminHeadsEmailTemplates({ workspace: workspace.id })}
      headsOf={({ email_templates }) => email_templates}
      pathOf={(id) => paths.template(workspace.id, id)}
      sentence="E-mails that messages name, so that a text is written once."
      column={{ head: 'Subject', cell: ({ subject }) => <span dir="auto">{subject}</span> }}
      ability="email_templates.edit"
      hint="For your colleagues. Recipients do not see it."
      make={(name) => postAdminEmailTemplates({ name, ...example }, { workspace: workspace.id })}
      idOf={(reply) => (reply as PostAdminEmailTemplatesReply).email_template.id}
      empty={
        <>
          A template is an e-mail that messages name. Make one here. Systems make them with{' '}
          <code>/templates/email/create</code>, and the workspace file can have them too.
        </>
      }
    />
  )
}
