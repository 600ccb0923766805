import type { Db } from '../../base/db/db.ts'
import { newUuid, uuidToHex } from '../../base/ids.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import type { TrialTarget } from '../channels/channel.ts'
import type { PreparedMessage } from '../messages/prepared-message.ts'
import { findPreviewPerson, type PersonServices, type PreviewPerson } from './preview-person.ts'
import type { GivenMessage, GivenPreview } from './read-preview.ts'
import { renderEach, type TextMistake } from './render-each.ts'

export type PreviewMessageServices = PersonServices & {
  readonly db: Db
  readonly clock: { now(): number }
  readonly renderer: Renderer
  readonly secret: Buffer
  readonly publicUrl: string
}

/** What came of the preview of a message of a channel. `prepared` is there when all texts could be rendered. */
export type PreviewedMessage = {
  readonly about: PreviewPerson
  readonly texts: Readonly<Record<string, string>>
  readonly mistakes: readonly TextMistake[]
  readonly reason?: string
  readonly prepared?: PreparedMessage
}

/** Stands for the address of a message that is only looked at. */
const noAddress = ''

/** Renders the texts of a message for one person, and makes the message of them. */
export async function previewMessage(
  { secret, publicUrl, ...services }: PreviewMessageServices,
  workspace: Workspace,
  given: GivenPreview,
  { trial, content }: GivenMessage,
  target: Partial<Pick<TrialTarget, 'address' | 'person' | 'test'>> = {},
): Promise<PreviewedMessage> {
  const limits = trial.textsOf(content)
  const texts = Object.fromEntries(Object.entries(limits).map(([name, { text }]) => [name, text]))
  const about = await findPreviewPerson(services.db, workspace, given, Object.values(texts), services)
  const app = workspace.apps.get(String((content as { app_id?: unknown }).app_id))
  const variables = {
    ...about.variables,
    campaign: { dispatch_id: uuidToHex(newUuid()) },
    ...(app && { app: { api_id: app.id, name: app.name, platform: app.platform } }),
    ...given.personal,
  }
  const rendered = await renderEach(services.renderer, texts, variables, {
    ...{ workspace_id: workspace.workspace_id, nowMs: services.clock.now(), kind: 'preview', limits },
  })
  if (rendered.mistakes.length > 0 || rendered.reason !== undefined) return { about, ...rendered }
  const made = trial.make(content, rendered.texts, { workspace, address: noAddress, secret, publicUrl, ...target })
  if (!('mistake' in made)) return { about, ...rendered, prepared: made }
  const { text, mistake: message } = made
  return {
    about,
    ...rendered,
    mistakes: [{ text, content_block: null, message, line: null, column: null }],
  }
}
