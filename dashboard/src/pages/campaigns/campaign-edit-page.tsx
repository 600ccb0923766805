import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { CallError } from '../../api/errors.ts'
import {
  getAdminApps,
  getAdminCampaignsId,
  getAdminHeadsCampaigns,
  type PostAdminCampaignsBody,
  patchAdminCampaignsId,
  postAdminCampaigns,
} from '../../api/generated.ts'
import type { Operation } from '../../api/operation.ts'
import { reading, readingTagged } from '../../api/queries.ts'
import { useDraftKeys } from '../../draft/keys.ts'
import { readMistakes } from '../../draft/mistakes.ts'
import { type Saved, useDraft } from '../../draft/use-draft.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { UnsavedGuard } from '../../frame/unsaved.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { FlowForms } from '../flow-forms/flow-forms.tsx'
import type { Members } from '../flow-forms/members.ts'
import { CampaignForms } from './campaign-forms.tsx'
import styles from './campaigns.module.css'
import { newCampaign } from './new-campaign.ts'

/** The page on which a campaign is changed, or a new one is made. */
export function CampaignEditPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const query = { workspace: workspace.id }
  const heads = useQuery(reading(getAdminHeadsCampaigns(query)))
  // A new campaign is not stored yet.
  const isNew = heads.data !== undefined && !heads.data.campaigns.some((each) => each.id === id)
  const read = useQuery({
    ...readingTagged(getAdminCampaignsId(id, query), parseExactly),
    enabled: heads.data !== undefined && !isNew,
  })
  const apps = useQuery(reading(getAdminApps(query)))
  const loaded = useMemo((): Saved<Members> | undefined => {
    if (read.data) return { document: read.data.reply.campaign as Members, tag: read.data.tag }
    return isNew && apps.data ? { document: newCampaign(id, apps.data.apps), tag: null } : undefined
  }, [read.data, isNew, apps.data, id])
  if (loaded === undefined) return <NoAnswer read={isNew ? apps : heads.data ? read : heads} what="the campaign" />
  return <CampaignEditor key={id} id={id} loaded={loaded} />
}

function CampaignEditor({ id, loaded }: { id: string; loaded: Saved<Members> }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const draft = useDraft(`${workspace.id} campaign ${id}`, loaded)
  const readOnly = useReason('campaigns.edit')
  const { document, saved } = draft
  const save = useWrite({
    request(given: Members): Operation<unknown> {
      const query = { workspace: workspace.id }
      if (saved.tag === null) return postAdminCampaigns(given as PostAdminCampaignsBody, query)
      const removed = Object.keys(saved.document).filter((name) => !(name in given))
      const body = { ...given, ...Object.fromEntries(removed.map((name) => [name, null])) }
      return { ...patchAdminCampaignsId(id, body, query), ifMatch: saved.tag }
    },
    said: () => 'Saved.',
    onDone() {
      draft.forget()
      void navigate({ to: paths.campaign(workspace.id, id), ignoreBlocker: true })
    },
  })
  const reason = readOnly ?? (draft.isChanged || saved.tag === null ? undefined : 'Nothing was changed.')
  const send = () => {
    if (reason === undefined && !save.isPending) save.mutate(document)
  }
  useDraftKeys({ undo: draft.undo, redo: draft.redo, save: send })
  const mistakes = save.error instanceof CallError && save.variables === document ? save.error.mistakes : []
  const name = typeof document.name === 'string' && document.name !== '' ? document.name : 'New campaign'
  return (
    <>
      <title>{`${name} - Easel`}</title>
      <UnsavedGuard isChanged={draft.isChanged} />
      <div className={styles.top}>
        <h1 dir="auto">{name}</h1>
        <Button look="main" disabledReason={reason} onClick={send}>
          {save.isPending ? 'Saving ...' : 'Save'}
        </Button>
      </div>
      {save.isError && (
        <div className={styles.problem} role="alert">
          <Refusal error={save.error} />
        </div>
      )}
      <FlowForms kind="campaign" id={id} edits={draft} mistakes={readMistakes(mistakes)} readOnly={readOnly}>
        <CampaignForms />
      </FlowForms>
    </>
  )
}
