import { uuidToHex } from '../../base/ids.ts'
import type { TemplateVariables } from '../../content/liquid/variables.ts'
import { loadVariables, optionalVariablesIn } from '../../content/rendering/variables-store.ts'
import { person } from '../../people/identity/person.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import { deleted, type MessageToPrepare, type NotPrepared, notRendered } from '../messages/prepared-message.ts'
import type { PreviewServices } from './channel.ts'

export type RenderingServices = PreviewServices & {
  /** Messages are only looked at: their texts ask no other server. */
  readonly isPreview?: boolean
}

/**
 * Texts with Liquid by name, and the app that they may name. Each rendered text has at most `charactersMax`. `fields`: variables beside the
 * fields of the profile.
 */
export type TextsToRender = {
  readonly texts: Readonly<Record<string, string>>
  readonly charactersMax: number
  readonly app_id?: string | undefined
  readonly fields?: Readonly<Record<string, string>> | undefined
}

/** The rendered texts of one message. */
export type RenderedTexts = { readonly texts: Readonly<Record<string, string>> }

/** Renders the texts of each message. All messages have the same content. Without texts nothing is read. */
export async function renderMessageTexts(
  services: RenderingServices,
  workspace: Workspace,
  batch: readonly MessageToPrepare[],
  { texts, charactersMax, app_id, fields }: TextsToRender,
): Promise<(RenderedTexts | NotPrepared)[]> {
  const names = Object.keys(texts)
  if (names.length === 0) return batch.map(() => ({ texts: {} }))
  const variables = await variablesOf(services, workspace, batch, Object.values(texts), { app_id, fields })
  const known = batch.flatMap((_, i) => (variables[i] ? [i] : []))
  const rendered = await services.renderer.renderMany(
    texts,
    known.map((i) => variables[i]!),
    {
      workspace_id: workspace.workspace_id,
      nowMs: services.clock.now(),
      limits: Object.fromEntries(names.map((name) => [name, { charactersMax }])),
      kind: services.isPreview ? 'preview' : batch[0]!.class,
      asksNobody: services.isPreview ?? false,
    },
  )
  const all: (RenderedTexts | NotPrepared)[] = batch.map(() => deleted)
  for (const [n, i] of known.entries()) {
    const one = rendered[n]!
    all[i] = one.outcome === 'rendered' ? { texts: one.texts } : notRendered(one)
  }
  return all
}

/** Returns the variables of each message; undefined for people who were deleted. */
export async function variablesOf(
  { db, hashAddress, formatServiceId }: RenderingServices,
  { workspace_id, groups, apps }: Workspace,
  batch: readonly MessageToPrepare[],
  texts: readonly string[],
  { app_id, fields }: Pick<TextsToRender, 'app_id' | 'fields'> = {},
): Promise<(TemplateVariables | undefined)[]> {
  const people = batch.map(({ bucket, profile_id }) => person(bucket, profile_id))
  const wanted = optionalVariablesIn(texts)
  const found = await loadVariables(db, workspace_id, people, wanted, { groups, hashAddress, formatServiceId })
  const app = app_id === undefined ? undefined : apps.get(app_id)
  return batch.map(({ profile_id, dispatch_id, about }) => {
    const own = found.get(profile_id)
    return (
      own && {
        ...own,
        standard: { ...own.standard, ...fields },
        campaign: { dispatch_id: uuidToHex(dispatch_id) },
        ...about,
        ...(app && { app: { api_id: app.id, name: app.name, platform: app.platform } }),
      }
    )
  })
}
