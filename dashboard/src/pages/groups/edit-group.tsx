import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type GetAdminHeadsSubscriptionGroupsReply,
  type PostAdminSubscriptionGroupsBody,
  patchAdminSubscriptionGroupsId,
  postAdminSubscriptionGroups,
} from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

export type Group = GetAdminHeadsSubscriptionGroupsReply['subscription_groups'][number]

const ability = 'subscription_groups.edit'
const nameCharactersMax = 255

const channels = [
  { value: 'email', label: 'E-mail' },
  { value: 'sms', label: 'SMS' },
] as const

/** The button that makes a group, and its dialog. */
export function NewGroup() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="main" disabledReason={useReason(ability)} onClick={() => setIsOpen(true)}>
        New group
      </Button>
      {isOpen && <NewGroupForm onClose={() => setIsOpen(false)} />}
    </>
  )
}

function NewGroupForm({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [channel, setChannel] = useState<string>('email')
  const make = useWrite({
    request: (body: PostAdminSubscriptionGroupsBody) => postAdminSubscriptionGroups(body, { workspace: workspace.id }),
    said: ({ subscription_group }) => `The group "${subscription_group.name}" is made.`,
    onDone: ({ subscription_group }) => void navigate({ to: paths.group(workspace.id, subscription_group.id) }),
  })
  return (
    <FormDialog
      title="New group"
      submit="Make the group"
      disabledReason={name.trim() === '' ? 'Give the group a name first.' : undefined}
      isPending={make.isPending}
      refusal={make.isError && <Refusal error={make.error} />}
      onSubmit={() =>
        make.mutate({ name: name.trim(), channel: channel as PostAdminSubscriptionGroupsBody['channel'] })
      }
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
      <ChoiceField
        label="Channel"
        hint="It cannot be changed later."
        value={channel}
        options={channels}
        onChange={setChannel}
      />
    </FormDialog>
  )
}

function NameField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label="Name"
      hint="The topic, as people read it in a preference center, such as Newsletter."
      value={value}
      maxLength={nameCharactersMax}
      onChange={onChange}
    />
  )
}

/** The buttons of a group: another name, and archive or use again. */
export function GroupActions({ group }: { group: Group }) {
  const { workspace } = useViewer()
  const reason = useReason(ability)
  const [isRenaming, setIsRenaming] = useState(false)
  const patch = (archived: boolean) =>
    patchAdminSubscriptionGroupsId(group.id, { archived }, { workspace: workspace.id })
  const archive = useWrite({
    request: patch,
    said: (_reply, archived) => `The group "${group.name}" is ${archived ? 'archived' : 'active again'}.`,
    undo: (_reply, archived) => patch(!archived),
  })
  return (
    <>
      <Button disabledReason={reason} onClick={() => setIsRenaming(true)}>
        Rename
      </Button>
      <Button
        disabledReason={reason ?? (archive.isPending ? 'The request is on its way.' : undefined)}
        onClick={() => archive.mutate(!group.archived)}
      >
        {group.archived ? 'Use again' : 'Archive'}
      </Button>
      {isRenaming && <RenameForm group={group} onClose={() => setIsRenaming(false)} />}
      {archive.isError && (
        <div role="alert">
          <Refusal error={archive.error} />
        </div>
      )}
    </>
  )
}

function RenameForm({ group, onClose }: { group: Group; onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState(group.name)
  const rename = useWrite({
    request: (given: string) => patchAdminSubscriptionGroupsId(group.id, { name: given }, { workspace: workspace.id }),
    said: ({ subscription_group }) => `The group is called "${subscription_group.name}" now.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Rename "${group.name}"`}
      submit="Rename"
      disabledReason={reasonOf(name, group)}
      isPending={rename.isPending}
      refusal={rename.isError && <Refusal error={rename.error} />}
      onSubmit={() => rename.mutate(name.trim())}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
    </FormDialog>
  )
}

function reasonOf(name: string, group: Group): string | undefined {
  if (name.trim() === '') return 'Give the group a name first.'
  return name.trim() === group.name ? 'This is its name already.' : undefined
}
