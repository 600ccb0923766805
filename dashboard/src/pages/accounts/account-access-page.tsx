import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { Tagged } from '../../api/call.ts'
import {
  type GetAdminAccountsIdReply,
  getAdminAccountsId,
  type PatchAdminAccountsIdBody,
  patchAdminAccountsId,
} from '../../api/generated.ts'
import { readingTagged } from '../../api/queries.ts'
import { useDraft } from '../../draft/use-draft.ts'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { UnsavedGuard } from '../../frame/unsaved.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import access from '../access/access.module.css'
import { StaleRefusal } from '../access/stale-refusal.tsx'
import { AccessFields } from './access-fields.tsx'
import { nameOf } from './account-words.tsx'
import { toGiven } from './given-access.ts'
import { OwnWarning, useConfirmOwn } from './own-warning.tsx'

/** Changes what one account may do. */
export function AccountAccessPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminAccountsId(id)
  const read = useQuery(readingTagged(operation, JSON.parse))
  useFeed(operation)
  if (read.data === undefined) return <NoAnswer read={read} what="the account" />
  return <Editor key={id} read={read.data} onReadAgain={() => void read.refetch()} />
}

function Editor({ read, onReadAgain }: { read: Tagged<GetAdminAccountsIdReply>; onReadAgain: () => void }) {
  const { account } = read.reply
  const navigate = useNavigate()
  const draft = useDraft(`access of ${account.id}`, { document: toGiven(account.permissions), tag: read.tag })
  const permit = useReason('accounts.edit')
  const save = useWrite({
    request: ({ tag, ...body }: PatchAdminAccountsIdBody & { tag: string | null }) => ({
      ...patchAdminAccountsId(account.id, body),
      ...(tag !== null && { ifMatch: tag }),
    }),
    said: () => `What ${nameOf(account)} may do is saved. It holds from now on.`,
    onDone: () => {
      draft.forget()
      void navigate({ to: paths.account(account.id) })
    },
  })
  const own = useConfirmOwn(save.error)
  const take = () => {
    draft.discard()
    save.reset()
    onReadAgain()
  }
  const send = (tag: string | null) => save.mutate({ permissions: draft.document, tag, ...own.confirmation })
  const busy = save.isPending ? 'The request is on its way.' : undefined
  const reason = permit ?? busy ?? (draft.isChanged ? own.reason : 'Nothing has changed.')
  return (
    <div className={access.stack}>
      <title>{`What ${nameOf(account)} may do - Easel`}</title>
      <div>
        <p>
          <Link to={paths.accounts()}>Accounts</Link> / <Link to={paths.account(account.id)}>{nameOf(account)}</Link>
        </p>
        <div className={access.row}>
          <h1 className={access.title} dir="auto">
            What {nameOf(account)} may do
          </h1>
          <span className={`${access.buttons} ${access.end}`}>
            <Button look="main" disabledReason={reason} onClick={() => send(draft.saved.tag)}>
              {save.isPending ? 'Saving ...' : own.submit('Save')}
            </Button>
            {draft.isChanged && <Button onClick={() => draft.discard()}>Discard changes</Button>}
          </span>
        </div>
      </div>
      {save.isError && <StaleRefusal error={save.error} onOverwrite={() => send(null)} onTake={take} />}
      <OwnWarning own={own} />
      <AccessFields given={draft.document} onChange={(next) => draft.change(() => next)} />
      <UnsavedGuard isChanged={draft.isChanged && !save.isPending && !save.isSuccess} />
    </div>
  )
}
