import { useState } from 'react'
import {
  type PostAdminScimTokensBody,
  type PostAdminScimTokensReply,
  postAdminScimTokens,
} from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useWrite } from '../../frame/write.ts'
import { AddressesField, addressesIn } from '../../ui/addresses-field.tsx'
import { CheckField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { MadeToken } from './made-token.tsx'

/** Makes a token, and shows its text once. */
export function NewToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<PostAdminScimTokensReply['token']>()
  return made ? <MadeToken made={made} onClose={onClose} /> : <Form onMade={setMade} onClose={onClose} />
}

type FormProps = { onMade: (made: PostAdminScimTokensReply['token']) => void; onClose: () => void }

function Form({ onMade, onClose }: FormProps) {
  const [name, setName] = useState('')
  const [needsOrigin, setNeedsOrigin] = useState(false)
  const [origin, setOrigin] = useState('')
  const [addresses, setAddresses] = useState('')
  const [mayGrant, setMayGrant] = useState(true)
  const make = useWrite({
    request: (body: PostAdminScimTokensBody) => postAdminScimTokens(body),
    onDone: ({ token }) => onMade(token),
  })
  const submit = () =>
    make.mutate({
      name: name.trim(),
      // Without an origin in the body the token would get that of this service.
      ...(needsOrigin ? origin.trim() !== '' && { origin: origin.trim() } : { origin: null }),
      allowed_ips: addressesIn(addresses),
      may_grant: mayGrant,
    })
  return (
    <FormDialog
      title="New SCIM token"
      submit="Make the token"
      disabledReason={name.trim() === '' ? 'Give the token a name first.' : undefined}
      isPending={make.isPending}
      refusal={make.isError && <Refusal error={make.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" hint="The provider that uses it." value={name} maxLength={255} onChange={setName} />
      <CheckField
        label="It may change what accounts may do"
        hint="Without this it makes, changes and disables accounts, and no permissions."
        checked={mayGrant}
        onChange={setMayGrant}
      />
      <CheckField
        label="Its requests must have the header X-Request-Origin"
        hint="Most providers cannot send it."
        checked={needsOrigin}
        onChange={setNeedsOrigin}
      />
      {needsOrigin && (
        <TextField
          label="Origin"
          hint="Such as https://idp.example.com. Empty: the origin of this service."
          value={origin}
          maxLength={300}
          onChange={setOrigin}
        />
      )}
      <AddressesField what="the token" value={addresses} onChange={setAddresses} />
    </FormDialog>
  )
}
