import { uuidToHex } from '../../../base/ids.ts'
import type { TemplateVariables } from '../../../content/liquid/variables.ts'
import { loadVariables, optionalVariablesIn } from '../../../content/rendering/variables-store.ts'
import { formatToken } from '../../../people/addresses/message-token.ts'
import { person } from '../../../people/identity/person.ts'
import type { Workspace } from '../../../workspace/settings/workspaces.ts'
import { hasLiquid } from '../../mail/read-text.ts'
import {
  aborted,
  deleted,
  failed,
  type MessageToPrepare,
  type NotPrepared,
  type PreparedMessage,
} from '../../messages/prepared-message.ts'
import type { PreviewServices } from '../channel.ts'
import { lengthMistake, shortened, type TextMessage, textCharactersMax } from './content.ts'
import { senderOf } from './sender.ts'

/** A text that is ready for the hand-over. */
export type PreparedText = PreparedMessage & {
  /** In E.164. */
  readonly to: string
  readonly from: string | undefined
  readonly body: string
  /** Where the provider tells what became of the text. */
  readonly statusUrl: string
  /** The same for each attempt to send the message. */
  readonly key: string
  /** The subscription group; undefined when it was deleted since. */
  readonly group_id: number | undefined
}

type TextToPrepare = MessageToPrepare<TextMessage>
export type TextServices = PreviewServices & {
  /** Texts are only looked at: they ask no other server. */
  readonly isPreview?: boolean
}

/** Bytes of the largest text with what belongs to it. */
export const textBytesMax = 8_192

/** Renders the texts of messages of one content, in their order. `needsSender`: a provider gets them. */
export async function prepareTexts(
  services: TextServices,
  batch: readonly TextToPrepare[],
  needsSender: boolean,
): Promise<(PreparedText | NotPrepared)[]> {
  const { workspace_id, content } = batch[0]!
  const workspace = services.workspaces.get(workspace_id)
  const from = content.from ?? senderOf(workspace.settings, content.subscription_group_id)
  if (from === undefined && needsSender) {
    return batch.map(() => failed('it has no sender: settings.sms.from is not set', { text: 'from' }))
  }
  const bodies = await renderBodies(services, workspace, batch)
  return batch.map((message, i): PreparedText | NotPrepared => {
    const rendered = bodies[i]!
    if (typeof rendered !== 'string') return rendered
    const body = rendered.trim()
    if (body === '') return failed('body is empty', { text: 'body' })
    const tooLong = lengthMistake(body)
    if (tooLong !== undefined) return failed(`body ${tooLong}`, { text: 'body' })
    return { ...preparedOf(services, workspace, message), from, body, subject: shortened(body) }
  })
}

function preparedOf({ publicUrl, secret }: TextServices, { id, groups }: Workspace, message: TextToPrepare) {
  const { address, content, ...target } = message
  const token = formatToken(target, 'message', secret)
  return {
    ...{ to: address, links: [], warnings: [], bytes: textBytesMax, key: token },
    group_id: groups.get(content.subscription_group_id)?.group_id,
    statusUrl: statusUrlOf(publicUrl, id, token),
  }
}

export function statusUrlOf(publicUrl: string, workspace: string, token: string): string {
  return `${publicUrl}/webhooks/sms/${encodeURIComponent(workspace)}/status?m=${token}`
}

async function renderBodies(
  services: TextServices,
  workspace: Workspace,
  batch: readonly TextToPrepare[],
): Promise<(string | NotPrepared)[]> {
  const { content, class: kind } = batch[0]!
  const { body } = content
  if (!hasLiquid(body)) return batch.map(() => body)
  const variables = await variablesOf(services, workspace, batch)
  const known = batch.flatMap((_, i) => (variables[i] ? [i] : []))
  const rendered = await services.renderer.renderMany(
    { body },
    known.map((i) => variables[i]!),
    {
      workspace_id: workspace.workspace_id,
      nowMs: services.clock.now(),
      limits: { body: { charactersMax: textCharactersMax } },
      kind: services.isPreview ? 'preview' : kind,
      asksNobody: services.isPreview ?? false,
    },
  )
  const bodies: (string | NotPrepared)[] = batch.map(() => deleted)
  for (const [n, i] of known.entries()) {
    const one = rendered[n]!
    if (one.outcome === 'rendered') bodies[i] = one.texts.body!
    else if (one.outcome === 'aborted') bodies[i] = aborted(one.reason)
    else {
      const { outcome: _, message, ...inputs } = one
      bodies[i] = failed(message, inputs)
    }
  }
  return bodies
}

/** Returns the variables of each message; undefined for people who were deleted. */
async function variablesOf(
  { db, hashAddress, formatServiceId }: TextServices,
  { workspace_id, groups, apps }: Workspace,
  batch: readonly TextToPrepare[],
): Promise<(TemplateVariables | undefined)[]> {
  const { content } = batch[0]!
  const people = batch.map(({ bucket, profile_id }) => person(bucket, profile_id))
  const wanted = optionalVariablesIn([content.body])
  const found = await loadVariables(db, workspace_id, people, wanted, { groups, hashAddress, formatServiceId })
  const app = content.app_id === undefined ? undefined : apps.get(content.app_id)
  return batch.map(({ profile_id, dispatch_id, about }) => {
    const own = found.get(profile_id)
    return (
      own && {
        ...own,
        campaign: { dispatch_id: uuidToHex(dispatch_id) },
        ...about,
        ...(app && { app: { api_id: app.id, name: app.name, platform: app.platform } }),
      }
    )
  })
}
