import type { Tx } from '../../../base/db/db.ts'
import type { TextLimit } from '../../../content/liquid/run.ts'
import type { Rendered } from '../../../content/rendering/rendered.ts'
import { findCredential } from '../../mail/secret-store.ts'
import {
  deleted,
  type MessageToPrepare,
  type NotPrepared,
  notRendered,
  type PreparedMessage,
} from '../../messages/prepared-message.ts'
import { type RenderingServices, variablesOf } from '../render-texts.ts'
import { shownUrl, type WebhookContent } from './content.ts'
import {
  type Credentials,
  callKey,
  credentialsIn,
  type RefusedCall,
  type RenderedRequest,
  receiverOf,
  refusedCredential,
  renderedRequest,
  webhookTexts,
} from './request.ts'

/** A call that is ready for the hand-over. */
export type PreparedCall = PreparedMessage & {
  readonly workspace_id: number
  readonly request: RenderedRequest
  readonly credentials: Credentials
  /** Why it cannot be made with its credentials. */
  readonly refusal: RefusedCall | undefined
  /** The same for each attempt to make the call. */
  readonly key: string
}

type CallToPrepare = MessageToPrepare<WebhookContent>

/** Characters of all rendered texts of one call. */
export const callCharactersMax = 1_048_576
/** Characters of a rendered URL, and of a rendered header. */
export const callLineCharactersMax = 8_192
/** A character of a call is in memory as rendered text and as a part of the request. */
const bytesPerCharacter = 2
/** Bytes of the largest call. */
export const callBytesMax = callCharactersMax * bytesPerCharacter

/**
 * Renders the texts of calls of one content, in their order. Calls for which there is no room in `bytesMax` are undefined, unless they are
 * too large for any room.
 */
export async function prepareCalls(
  services: RenderingServices,
  batch: readonly CallToPrepare[],
  bytesMax: number,
): Promise<(PreparedCall | NotPrepared | undefined)[]> {
  const { workspace_id, content, class: kind } = batch[0]!
  const texts = webhookTexts(content)
  const variables = await variablesOf(services, services.workspaces.get(workspace_id), batch, Object.values(texts))
  const known = batch.flatMap((_, i) => (variables[i] ? [i] : []))
  const hasRoom = bytesMax >= batch.length * callBytesMax
  const render = (calls: readonly number[], callBytes: number) =>
    services.renderer.renderWithin(
      texts,
      calls.map((i) => variables[i]!),
      Math.floor(callBytes / bytesPerCharacter),
      {
        workspace_id,
        nowMs: services.clock.now(),
        kind: services.isPreview ? 'preview' : kind,
        asksNobody: services.isPreview ?? false,
        limits: Object.fromEntries(Object.keys(texts).map((name) => [name, textLimit(name)])),
      },
    )
  const rendered = await render(known, Math.min(bytesMax, batch.length * callBytesMax))
  if (hasRoom) {
    // A call that is too large may have taken the room of others.
    for (const [n, i] of known.entries()) rendered[n] ??= (await render([i], callBytesMax))[0] ?? tooLong
  }
  // A call that is only looked at needs none.
  const credentials = services.isPreview ? new Map() : await findCredentials(services.db, workspace_id, content)
  const prepared: (PreparedCall | NotPrepared | undefined)[] = batch.map(() => deleted)
  for (const [n, i] of known.entries()) {
    const one = rendered[n]
    prepared[i] = one && preparedOf(batch[i]!, one, credentials)
  }
  return prepared
}

const tooLong: Rendered = {
  outcome: 'failed',
  message: `the texts of the call have more than ${callCharactersMax} characters`,
}

export function textLimit(name: string): TextLimit {
  return { charactersMax: name.startsWith('body') ? callCharactersMax : callLineCharactersMax }
}

function preparedOf(message: CallToPrepare, given: Rendered, credentials: Credentials): PreparedCall | NotPrepared {
  const characters = charactersOf(given)
  const rendered = characters > callCharactersMax ? tooLong : given
  if (rendered.outcome !== 'rendered') return notRendered(rendered)
  const { content, workspace_id, message_id, idempotencyKey = message_id } = message
  const request = renderedRequest(content, rendered.texts)
  return {
    ...{ workspace_id, request, credentials, key: callKey(idempotencyKey) },
    refusal: refusedCredential(request, request.url, credentials),
    address: receiverOf(request.url),
    subject: `${request.method} ${shownUrl(request.url)}`,
    ...{ links: [], warnings: [], bytes: characters * bytesPerCharacter },
  }
}

function charactersOf(rendered: Rendered): number {
  if (rendered.outcome !== 'rendered') return 0
  return Object.values(rendered.texts).reduce((sum, text) => sum + text.length, 0)
}

/** Finds the credentials that headers name. */
export async function findCredentials(
  db: Tx,
  workspace_id: number,
  content: Pick<WebhookContent, 'headers'>,
): Promise<Credentials> {
  const found = new Map()
  for (const name of credentialsIn(content)) {
    const credential = await findCredential(db, workspace_id, name)
    if (credential) found.set(name, credential)
  }
  return found
}
