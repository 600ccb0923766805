import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { uuidToHex } from '../../base/ids.ts'
import { type ListedCenter, listCenters } from '../../content/centers/center-store.ts'
import { centerRoot } from '../../content/liquid/names.ts'
import type { TemplateVariables } from '../../content/liquid/variables.ts'
import type { Rendered } from '../../content/rendering/rendered.ts'
import type { FinishingOfPeople, Renderer } from '../../content/rendering/renderer.ts'
import {
  loadVariables,
  mentions,
  optionalVariablesIn,
  type VariableServices,
} from '../../content/rendering/variables-store.ts'
import { person } from '../../people/identity/person.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import { deleted, type NotPrepared, notRendered } from '../messages/prepared-message.ts'
import { bodyTexts, type EmailMistake, type EmailTexts } from './assemble-bodies.ts'
import { textLimitsOf } from './assemble-email.ts'
import type { BodyOptions, EncodedBodies } from './encode-bodies.ts'
import type { LinksQuestion, OwnOfMail, SharedOfMails } from './finish-bodies.ts'
import { bodyLinksOf, confirmationFields, linkFields, type MessageLinks } from './message-links.ts'
import type { TooComplex } from './parse-html.ts'
import type { MessageToPrepare } from './prepared-mail.ts'
import { hasLiquid } from './read-text.ts'

/** Bodies with more characters, and those with styles to inline, are encoded where they were rendered: they would hold the service. */
export const encodedHereCharactersMax = 32_768

/** The rendered texts of a mail. Long bodies are encoded already, and empty in `texts`. */
export type RenderedMail = { readonly texts: EmailTexts; readonly encoded?: EncodedBodies | EmailMistake | TooComplex }

export type RenderServices = Omit<VariableServices, 'groups'> & {
  readonly db: Db
  readonly clock: Clock
  readonly renderer: Renderer
  /** `PUBLIC_URL`, without a slash at its end. */
  readonly publicUrl: string
  /** Mails are only looked at: they are not signed, and texts ask no other server. */
  readonly isPreview?: boolean
}

/** What messages with one `contentKey` share. `texts` are those that may have Liquid. */
export type MailGroup = {
  readonly workspace: Workspace
  readonly texts: EmailTexts
  readonly app_id: string
  readonly inlineCss: boolean
}

/** Renders the texts of each message, with mails of `charactersMax` together. Messages for whose mails there is no room are undefined. */
export async function renderTexts(
  services: RenderServices,
  group: MailGroup,
  messages: readonly MessageToPrepare[],
  links: readonly MessageLinks[],
  charactersMax: number,
): Promise<(RenderedMail | NotPrepared | undefined)[]> {
  const { workspace, texts } = group
  const liquid = Object.fromEntries(Object.entries(texts).filter(([, text]) => hasLiquid(text)))
  const finishing = finishingOf(services, group, liquid, messages, links)
  if (Object.keys(liquid).length === 0 && finishing.aboveCharacters >= 0) return messages.map(() => ({ texts }))
  const known = await loadAll(services, group, liquid, messages, links)
  const rendered = await services.renderer.renderWithin(
    liquid,
    known.map(({ variables }) => variables),
    charactersMax,
    {
      workspace_id: workspace.workspace_id,
      nowMs: services.clock.now(),
      limits: textLimitsOf(liquid),
      kind: services.isPreview ? 'preview' : messages[0]!.class,
      asksNobody: services.isPreview ?? false,
      finishing: { ...finishing, own: known.map(({ i }) => finishing.own[i]) },
    },
  )
  const outcomes: (RenderedMail | NotPrepared | undefined)[] = messages.map(() => deleted)
  for (const [n, { i }] of known.entries()) outcomes[i] = rendered[n] && outcomeOf(rendered[n], texts)
  return outcomes
}

function outcomeOf(rendered: Rendered, texts: EmailTexts): RenderedMail | NotPrepared {
  if (rendered.outcome !== 'rendered') return notRendered(rendered)
  const encoded = rendered.finished as RenderedMail['encoded']
  return { texts: { ...texts, ...rendered.texts }, ...(encoded && { encoded }) }
}

type Known = { readonly i: number; readonly variables: TemplateVariables }

/** Returns the variables of each message, without those of deleted people. Without Liquid there are none. */
async function loadAll(
  services: RenderServices,
  { workspace, app_id }: MailGroup,
  liquid: EmailTexts,
  messages: readonly MessageToPrepare[],
  links: readonly MessageLinks[],
): Promise<Known[]> {
  const texts = Object.values(liquid)
  if (texts.length === 0) return messages.map((_, i) => ({ i, variables: { standard: {}, custom: {} } }))
  const people = messages.map(({ bucket, profile_id }) => person(bucket, profile_id))
  const wanted = optionalVariablesIn(texts)
  const variables = await loadVariables(services.db, workspace.workspace_id, people, wanted, {
    ...services,
    groups: workspace.groups,
  })
  const app = workspace.apps.get(app_id)
  const centers = await centersFor(services.db, workspace.workspace_id, texts)
  return messages.flatMap((message, i) => {
    const found = variables.get(message.profile_id)
    if (!found) return []
    const preference_center = centers && linksToCenters(centers, links[i]!)
    return [{ i, variables: { ...variablesFor(found, message, links[i]!, app, services), ...preference_center } }]
  })
}

/** Lists the preference centers that texts may link to: one statement for all messages, and none for texts that mention none. */
async function centersFor(
  db: Db,
  workspace_id: number,
  texts: readonly string[],
): Promise<readonly ListedCenter[] | undefined> {
  if (!mentions(texts, centerRoot)) return undefined
  const centers = await listCenters(db, workspace_id)
  return centers.filter(({ state }) => state === 'active')
}

/** Adds what a mail gives its texts, such as its links, to the variables of one person. */
export async function variablesOfOne(
  services: Pick<RenderServices, 'db' | 'publicUrl' | 'isPreview'>,
  { workspace, texts, app_id }: MailGroup,
  found: TemplateVariables,
  message: MessageToPrepare,
  links: MessageLinks,
): Promise<TemplateVariables> {
  const centers = await centersFor(services.db, workspace.workspace_id, Object.values(texts))
  const variables = variablesFor(found, message, links, workspace.apps.get(app_id), services)
  return { ...variables, ...(centers && linksToCenters(centers, links)) }
}

function linksToCenters(
  centers: readonly ListedCenter[],
  links: MessageLinks,
): Pick<TemplateVariables, 'preference_center'> {
  return { preference_center: Object.fromEntries(centers.map(({ id, name }) => [name, links.center(id)])) }
}

function variablesFor(
  { standard, ...known }: TemplateVariables,
  { dispatch_id, about, content }: MessageToPrepare,
  links: MessageLinks,
  app: { readonly id: string; readonly name: string; readonly platform: string } | undefined,
  settings: Pick<RenderServices, 'publicUrl' | 'isPreview'>,
): TemplateVariables {
  const { confirmation } = content
  const asked = confirmation && confirmationFields(confirmation, links, settings)
  return {
    ...known,
    standard: { ...standard, ...linkFields(links), ...asked },
    campaign: { dispatch_id: uuidToHex(dispatch_id) },
    ...about,
    ...(app && { app: { api_id: app.id, name: app.name, platform: app.platform } }),
  }
}

/** Returns how long bodies are encoded in the process that rendered them. */
export function finishingOf(
  { publicUrl }: Pick<RenderServices, 'publicUrl'>,
  { workspace, texts, inlineCss }: MailGroup,
  liquid: EmailTexts,
  messages: readonly MessageToPrepare[],
  links: readonly MessageLinks[],
): FinishingOfPeople {
  const constants = Object.fromEntries(
    Object.entries(texts).filter(([name]) => bodyTexts.includes(name) && !(name in liquid)),
  )
  const characters = Object.values(constants).reduce((sum, text) => sum + text.length, 0)
  const shared: SharedOfMails = { constants, inlineCss, publicUrl }
  const own = messages.map((message, n): OwnOfMail => ({ n, tracking: trackingOf(message, workspace) }))
  return {
    module: new URL('./finish-bodies.ts', import.meta.url).href,
    takes: bodyTexts,
    aboveCharacters: inlineCss ? -1 : encodedHereCharactersMax - characters,
    shared,
    own,
    async answer(question) {
      const { messages: asked, count } = question as LinksQuestion
      return asked.map((n) => ({ ...bodyLinksOf(links[n]!, count) }))
    },
  }
}

export function trackingOf({ tracking }: MessageToPrepare, { settings }: Workspace): BodyOptions['tracking'] {
  return {
    opens: settings.track_opens && tracking.opens,
    clicks: settings.track_clicks && tracking.clicks,
  }
}
