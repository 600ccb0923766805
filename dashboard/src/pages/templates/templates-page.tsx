import { type GetAdminHeadsEmailTemplatesReply, getAdminHeadsEmailTemplates } from '../../api/generated.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'

type Template = GetAdminHeadsEmailTemplatesReply['email_templates'][number]

/** All stored e-mails. */
export function TemplatesPage() {
  const { workspace } = useViewer()
  const pathOf = (id: string) => paths.template(workspace.id, id)
  return (
    <HeadList
      title="Templates"
      what="templates"
      operation={getAdminHeadsEmailTemplates({ workspace: workspace.id })}
      headsOf={({ email_templates }) => email_templates}
      pathOf={pathOf}
      sentence="E-mails that messages name, so that a text is written once."
      columns={columnsOf(pathOf)}
      empty={
        <Empty title="There are no templates">
          A template is an e-mail that messages name. Systems make them with <code>/templates/email/create</code>; the
          workspace file can have them too.
        </Empty>
      }
    />
  )
}

function columnsOf(pathOf: (id: string) => string): Column<Template>[] {
  return [
    {
      head: 'Name',
      width: '28%',
      cell: ({ id, name, description }) => <NameCell name={name} to={pathOf(id)} more={description} />,
    },
    { head: 'Subject', width: '36%', wraps: true, cell: ({ subject }) => <span dir="auto">{subject}</span> },
    { head: 'Used by', width: '24%', wideOnly: true, cell: (users) => <UsedBy users={users} /> },
    {
      head: 'Changed',
      width: '12%',
      align: 'end',
      wideOnly: true,
      cell: ({ updated_at }) => <Moment at={updated_at} />,
    },
  ]
}
