import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  getAdminRoles,
  type PostAdminAccountsBody,
  type PostAdminAccountsReply,
  postAdminAccounts,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import access from '../access/access.module.css'
import { nameOf } from './account-words.tsx'
import styles from './accounts.module.css'
import { type GivenAccess, noAccess, withRole } from './given-access.ts'

/** Makes an account, and mails its person a link. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<PostAdminAccountsReply>()
  return made ? <Invited reply={made} onClose={onClose} /> : <InviteForm onMade={setMade} onClose={onClose} />
}

function InviteForm({ onMade, onClose }: { onMade: (reply: PostAdminAccountsReply) => void; onClose: () => void }) {
  const [address, setAddress] = useState('')
  const [given, setGiven] = useState('')
  const [family, setFamily] = useState('')
  const [rights, setRights] = useState<GivenAccess>(noAccess)
  const invite = useWrite({
    request: (body: PostAdminAccountsBody) => postAdminAccounts(body),
    onDone: onMade,
  })
  const hasRights = rights.companyPermissions.length + rights.roles.length > 0
  return (
    <FormDialog
      title="Invite a person"
      submit="Invite"
      disabledReason={reasonOf(address, given)}
      isPending={invite.isPending}
      refusal={invite.isError && <Refusal error={invite.error} />}
      onSubmit={() =>
        invite.mutate({
          user_name: address.trim(),
          given_name: given.trim(),
          family_name: family.trim(),
          ...(hasRights && { permissions: rights }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="E-mail address"
        hint="The person signs in with it, and the invitation goes there."
        type="email"
        value={address}
        maxLength={254}
        onChange={setAddress}
      />
      <TextField label="First name" value={given} maxLength={255} onChange={setGiven} />
      <TextField label="Last name" value={family} maxLength={255} onChange={setFamily} />
      <RoleChoice rights={rights} onChange={setRights} />
    </FormDialog>
  )
}

function reasonOf(address: string, given: string): string | undefined {
  if (address.trim() === '') return 'Type the e-mail address first.'
  return given.trim() === '' ? 'Type the first name first.' : undefined
}

function RoleChoice({ rights, onChange }: { rights: GivenAccess; onChange: (rights: GivenAccess) => void }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminRoles({ workspace: workspace.id })))
  if (read.data === undefined) return <NoAnswer read={read} what="roles" />
  const isAdministrator = rights.companyPermissions.includes('admin')
  return (
    <fieldset className={`${access.group} ${styles.plain}`}>
      <legend>What may it do in {workspace.name}?</legend>
      {read.data.roles.length === 0 && (
        <span className={access.soft}>
          There are no roles in this workspace. You can give single permissions once the account is made.
        </span>
      )}
      {read.data.roles.map(({ id, name, permissions }) => (
        <CheckField
          key={id}
          label={<span dir="auto">{name}</span>}
          hint={permissions.join(', ') || 'no permission yet'}
          checked={rights.roles.some(({ roleId }) => roleId === id)}
          onChange={(isHeld) => onChange(withRole(rights, id, isHeld))}
        />
      ))}
      <CheckField
        label="Administrator of the company"
        hint="Everything, in every workspace, and the accounts of all others."
        checked={isAdministrator}
        onChange={(isHeld) => onChange({ ...rights, companyPermissions: isHeld ? ['admin'] : [] })}
      />
    </fieldset>
  )
}

function Invited({
  reply: { account, link, link_refusal },
  onClose,
}: {
  reply: PostAdminAccountsReply
  onClose: () => void
}) {
  const { may, workspace } = useViewer()
  const navigate = useNavigate()
  const toPage = (path: string) => {
    onClose()
    void navigate({ to: path })
  }
  return (
    <Dialog label="The invitation" staysOpen onClose={onClose}>
      <div className={styles.dialog}>
        <h2 dir="auto">{nameOf(account)} has an account</h2>
        {link === null ? (
          <p className={styles.warning} role="alert">
            The invitation could not be mailed: {link_refusal}. Send the link again from the page of the account.
          </p>
        ) : (
          <p>
            A link was mailed to {link.to}. It works once, until <Moment at={link.expires_at} full />. Without a mail
            server, the mail is in the inbox.
          </p>
        )}
        <div className={access.buttons}>
          <Button look="main" onClick={() => toPage(paths.account(account.id))}>
            Open the account
          </Button>
          {may('inbox.read') && <Button onClick={() => toPage(paths.inbox(workspace.id))}>Look into the inbox</Button>}
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  )
}
