import { useQuery } from '@tanstack/react-query'
import { getAdminHeadsSubscriptionGroups, getAdminSignUpForms } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { NewForm } from './edit-form.tsx'
import { type Form, FormState } from './form-words.tsx'

/** The pages on which people sign up. */
export function FormsPage() {
  const { workspace } = useViewer()
  const pathOf = (id: string) => paths.form(workspace.id, id)
  const groups = useQuery(reading(getAdminHeadsSubscriptionGroups({ workspace: workspace.id })))
  const nameOf = (id: string) => groups.data?.subscription_groups.find((group) => group.id === id)?.name ?? id
  return (
    <HeadList
      title="Sign-up forms"
      what="sign-up forms"
      operation={getAdminSignUpForms({ workspace: workspace.id })}
      headsOf={({ sign_up_forms }) => sign_up_forms}
      pathOf={pathOf}
      actions={<NewForm />}
      sentence="Pages on which people sign up for a group. They get a mail or a text message, and are in the group after confirming."
      columns={columnsOf(pathOf, nameOf)}
      empty={
        <Empty title="There are no sign-up forms" actions={<NewForm />}>
          A form is a page of its own, and HTML that you put on your site. First turn on double opt-in in a group.
        </Empty>
      }
    />
  )
}

function columnsOf(pathOf: (id: string) => string, nameOf: (id: string) => string): readonly Column<Form>[] {
  return [
    { head: 'Name', width: '40%', cell: ({ id, name }) => <NameCell name={name} to={pathOf(id)} /> },
    { head: 'Group', width: '40%', wideOnly: true, cell: (form) => nameOf(form.subscription_group_id) },
    { head: 'State', cell: (form) => <FormState form={form} /> },
  ]
}
