import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type GetAdminKeyPermissionsReply,
  getAdminKeyPermissions,
  type PostAdminKeysBody,
  type PostAdminKeysReply,
  postAdminKeys,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { AddressesField, addressesIn } from '../../ui/addresses-field.tsx'
import { CheckField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './new-key.module.css'

type Groups = GetAdminKeyPermissionsReply['groups']

/** Makes a key, and shows its text once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<PostAdminKeysReply['key']>()
  return made ? <MadeKey made={made} onClose={onClose} /> : <NewKeyForm onMade={setMade} onClose={onClose} />
}

type NewKeyFormProps = { onMade: (made: PostAdminKeysReply['key']) => void; onClose: () => void }

function NewKeyForm({ onMade, onClose }: NewKeyFormProps) {
  const { workspace } = useViewer()
  const known = useQuery(reading(getAdminKeyPermissions({ workspace: workspace.id })))
  const [name, setName] = useState('')
  const [addresses, setAddresses] = useState('')
  const [isStrict, setIsStrict] = useState(false)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const make = useWrite({
    request: (body: PostAdminKeysBody) => postAdminKeys(body, { workspace: workspace.id }),
    onDone: (reply) => onMade(reply.key),
  })
  const submit = () =>
    make.mutate({
      name: name.trim(),
      permissions: [...chosen] as PostAdminKeysBody['permissions'],
      allowed_ips: addressesIn(addresses),
      strict: isStrict,
    })
  return (
    <FormDialog
      title="New key"
      submit="Make the key"
      disabledReason={reasonOf(name, chosen)}
      isPending={make.isPending}
      refusal={make.isError && <Refusal error={make.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="What uses the key, such as Web shop. Two keys cannot have the same name."
        value={name}
        maxLength={255}
        onChange={setName}
      />
      {known.isPending && <LoadingRows what="permissions" />}
      {known.isError && <Failure error={known.error} onRetry={() => void known.refetch()} />}
      {known.data && (
        <Permissions
          groups={known.data.groups}
          mayGiveAll={known.data.may_give_all}
          chosen={chosen}
          onChoose={setChosen}
        />
      )}
      <AddressesField what="the key" value={addresses} onChange={setAddresses} />
      <CheckField
        label="Strict"
        hint="Refuse an object when a part of it would not be kept, instead of naming it in the answer."
        checked={isStrict}
        onChange={setIsStrict}
      />
    </FormDialog>
  )
}

function reasonOf(name: string, chosen: ReadonlySet<string>): string | undefined {
  if (name.trim() === '') return 'Give the key a name first.'
  return chosen.size === 0 ? 'Choose what the key may do first.' : undefined
}

type PermissionsProps = {
  groups: Groups
  mayGiveAll: boolean
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

/** The permissions by group, each with what it allows. What the viewer may not do cannot be given. */
function Permissions({ groups, mayGiveAll, chosen, onChoose }: PermissionsProps) {
  const all = chosen.has('*')
  const set = (name: string, isChosen: boolean) => {
    onChoose(new Set(isChosen ? [...chosen, name] : [...chosen].filter((each) => each !== name)))
  }
  return (
    <>
      {mayGiveAll && (
        <CheckField
          label="Everything"
          hint="All permissions, those of later releases too."
          checked={all}
          onChange={(isChosen) => onChoose(new Set(isChosen ? ['*'] : []))}
        />
      )}
      {!all && (
        <div className={styles.groups}>
          {groups.map(({ name, permissions }) => (
            <fieldset key={name} className={styles.group}>
              <legend>{name}</legend>
              {permissions
                .filter(({ may_give }) => may_give)
                .map(({ permission, allows }) => (
                  <CheckField
                    key={permission}
                    label={permission}
                    hint={allows}
                    checked={chosen.has(permission)}
                    onChange={(isChosen) => set(permission, isChosen)}
                  />
                ))}
              {permissions.every(({ may_give }) => !may_give) && (
                <span>You may not do this, so no key of yours may.</span>
              )}
            </fieldset>
          ))}
        </div>
      )}
    </>
  )
}

function MadeKey({ made, onClose }: { made: PostAdminKeysReply['key']; onClose: () => void }) {
  return (
    <SecretDialog
      label="The new key"
      title={`The key "${made.name}" is made`}
      sentence="This is the only time that it is shown. Copy it to where it is used."
      secret={made.key ?? ''}
      what="the key"
      onClose={onClose}
    />
  )
}
