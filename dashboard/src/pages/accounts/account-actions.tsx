import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  deleteAdminAccountsId,
  deleteAdminIdentities,
  type PatchAdminAccountsIdBody,
  patchAdminAccountsId,
  postAdminAccountsIdLink,
} from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import access from '../access/access.module.css'
import { type Account, nameOf } from './account-words.tsx'
import { OwnWarning, useConfirmOwn } from './own-warning.tsx'

type Tagged = { readonly account: Account; readonly tag: string | null }
type Open = 'edit' | 'disable' | 'delete' | undefined

/** The buttons of an account. */
export function AccountActions({ account, tag }: Tagged) {
  const [open, setOpen] = useState<Open>()
  const reason = useReason('accounts.edit')
  const close = () => setOpen(undefined)
  const enable = useWrite({
    request: () => ({ ...patchAdminAccountsId(account.id, { active: true }), ...(tag !== null && { ifMatch: tag }) }),
    said: () => `${nameOf(account)} may sign in again.`,
  })
  const link = useWrite({
    request: () => postAdminAccountsIdLink(account.id),
    said: (reply) => `A link to sign in was mailed to ${reply.link.to}.`,
  })
  const busy = enable.isPending || link.isPending ? 'The request is on its way.' : undefined
  const isDisabled = account.state === 'disabled'
  const failed = [enable, link].find(({ isError }) => isError)
  return (
    <>
      {reason === undefined ? (
        <Link to={paths.accountAccess(account.id)} className={buttonClass('main')}>
          Change what it may do
        </Link>
      ) : (
        <Button disabledReason={reason}>Change what it may do</Button>
      )}
      <Button disabledReason={reason} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button
        disabledReason={reason ?? (isDisabled ? 'It is disabled: enable it first.' : busy)}
        onClick={() => link.mutate(undefined)}
      >
        Send a link
      </Button>
      {isDisabled ? (
        <Button disabledReason={reason ?? busy} onClick={() => enable.mutate(undefined)}>
          Enable
        </Button>
      ) : (
        <Button disabledReason={reason} onClick={() => setOpen('disable')}>
          Disable
        </Button>
      )}
      <Button disabledReason={reason} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {failed && (
        <div role="alert" className={access.refusal}>
          <Refusal error={failed.error} />
        </div>
      )}
      {open === 'edit' && <EditAccount account={account} tag={tag} onClose={close} />}
      {open === 'disable' && <DisableAccount account={account} tag={tag} onClose={close} />}
      {open === 'delete' && <DeleteAccount account={account} tag={tag} onClose={close} />}
    </>
  )
}

type DialogProps = Tagged & { onClose: () => void }

/** Names and address. Another address signs the person out. */
function EditAccount({ account, tag, onClose }: DialogProps) {
  const [address, setAddress] = useState(account.user_name)
  const [given, setGiven] = useState(account.given_name)
  const [family, setFamily] = useState(account.family_name)
  const edit = useWrite({
    request: (body: PatchAdminAccountsIdBody) => ({
      ...patchAdminAccountsId(account.id, body),
      ...(tag !== null && { ifMatch: tag }),
    }),
    said: (reply) => `${nameOf(reply.account)} is saved.`,
    onDone: onClose,
  })
  const own = useConfirmOwn(edit.error)
  const changes: PatchAdminAccountsIdBody = {
    ...(address.trim() !== account.user_name && { user_name: address.trim() }),
    ...(given.trim() !== account.given_name && { given_name: given.trim() }),
    ...(family.trim() !== account.family_name && { family_name: family.trim() }),
  }
  const isSame = Object.keys(changes).length === 0
  return (
    <FormDialog
      title={`Edit ${nameOf(account)}`}
      submit={own.submit('Save')}
      disabledReason={isSame ? 'Nothing has changed.' : given.trim() === '' ? 'Type the first name first.' : own.reason}
      isPending={edit.isPending}
      refusal={edit.isError && <Refusal error={edit.error} />}
      onSubmit={() => edit.mutate({ ...changes, ...own.confirmation })}
      onClose={onClose}
    >
      <TextField
        label="E-mail address"
        hint="The person signs in with it. With another address the person is signed out, and links go to the new one."
        type="email"
        value={address}
        maxLength={254}
        onChange={setAddress}
      />
      <TextField label="First name" value={given} maxLength={255} onChange={setGiven} />
      <TextField label="Last name" value={family} maxLength={255} onChange={setFamily} />
      {account.is_provisioned && (
        <p className={access.soft}>An identity provider knows this account, and may change its names back.</p>
      )}
      <ForgetBinding account={account} />
      <OwnWarning own={own} />
    </FormDialog>
  )
}

/** Forgets with which account of an identity provider the person signs in. */
function ForgetBinding({ account }: { account: Account }) {
  const forget = useWrite({
    request: () => deleteAdminIdentities({ user_name: account.user_name }),
    said: ({ forgotten }) =>
      forgotten === 0 ? 'It was bound to no identity.' : 'Forgotten. The next sign-in binds the account anew.',
  })
  return (
    <div className={access.row}>
      <span className={access.soft}>Has the person another account at your identity provider now?</span>
      <Button
        disabledReason={forget.isPending ? 'The request is on its way.' : undefined}
        onClick={() => forget.mutate(undefined)}
      >
        Forget the old one
      </Button>
      {forget.isError && <Refusal error={forget.error} />}
    </div>
  )
}

function DisableAccount({ account, tag, onClose }: DialogProps) {
  const disable = useWrite({
    request: (body: PatchAdminAccountsIdBody) => ({
      ...patchAdminAccountsId(account.id, body),
      ...(tag !== null && { ifMatch: tag }),
    }),
    said: () => `${nameOf(account)} is disabled and signed out.`,
    undo: () => patchAdminAccountsId(account.id, { active: true }),
    onDone: onClose,
  })
  const own = useConfirmOwn(disable.error)
  return (
    <FormDialog
      title={`Disable ${nameOf(account)}?`}
      submit={own.submit('Disable')}
      danger
      disabledReason={own.reason}
      isPending={disable.isPending}
      refusal={disable.isError && <Refusal error={disable.error} />}
      onSubmit={() => disable.mutate({ active: false, ...own.confirmation })}
      onClose={onClose}
    >
      <p>The person is signed out everywhere at once, and cannot sign in. What the account may do stays stored.</p>
      <OwnWarning own={own} />
    </FormDialog>
  )
}

function DeleteAccount({ account, tag, onClose }: DialogProps) {
  const navigate = useNavigate()
  const path = deleteAdminAccountsId(account.id).path
  const end = useWrite({
    request: (query: { confirm_own?: 'true' }) => ({
      ...deleteAdminAccountsId(account.id, query),
      ...(tag !== null && { ifMatch: tag }),
    }),
    said: () => `The account of ${nameOf(account)} is deleted.`,
    onDone: () => void navigate({ to: paths.accounts() }),
    ends: path,
  })
  const own = useConfirmOwn(end.error)
  return (
    <FormDialog
      title={`Delete the account of ${nameOf(account)}?`}
      submit={own.submit('Delete')}
      danger
      typed={account.user_name}
      disabledReason={own.reason}
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(own.isConfirmed ? { confirm_own: 'true' } : {})}
      onClose={onClose}
    >
      <p>The person is signed out at once, and the account cannot be brought back. The audit keeps what it did.</p>
      <OwnWarning own={own} />
    </FormDialog>
  )
}
