import type { Call } from '../../base/call.ts'
import { forbidden, invalid, notFound } from '../../base/errors.ts'
import type { Request, RequestHead } from '../../base/http/route.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import type { Workspace, Workspaces } from '../../workspace/settings/workspaces.ts'
import { findCredential } from '../mail/secret-store.ts'
import type { EngagementQueue } from './engagement-queue.ts'
import { findMessageToken } from './find-message-token.ts'
import { recordFeedback } from './record-feedback.ts'
import { readSesEvents } from './webhook-amazon-ses.ts'
import {
  type EngagementEvent,
  fieldsIn,
  isEngagement,
  type ProviderEvent,
  parseJson,
  textIn,
} from './webhook-events.ts'
import { readMailgunEvents, verifyMailgun } from './webhook-mailgun.ts'
import { onceForToken } from './webhook-once.ts'
import { isSignedBySendgrid, readSendgridEvents } from './webhook-sendgrid.ts'
import type { SnsClient } from './webhook-sns.ts'

export type WebhookServices = {
  readonly workspaces: Pick<Workspaces, 'find' | 'get'>
  readonly hashAddress: HashAddress
  readonly engagements: Pick<EngagementQueue, 'addOpen' | 'addClick'>
  readonly secret: Buffer
}

type Webhooks = Workspace['settings']['webhooks']
export type WebhookProvider = keyof Webhooks & string

type WebhookReceiver = (call: Call, request: Request) => Promise<typeof success>

const success = { message: 'success' } as const
const notSigned = 'The signature is not valid'

/** Receives events of Amazon SES through SNS. */
export function amazonSesReceiver(sns: SnsClient, services: WebhookServices): WebhookReceiver {
  return async (call, request) => {
    const { workspace_id, webhook } = findWebhook('amazon_ses', request, services)
    const envelope = fieldsIn(parseBody(request))
    if (!(await sns.isSigned(envelope, webhook.topic_arn, call.clock.elapsed()))) throw forbidden(notSigned)
    if (envelope.Type === 'SubscriptionConfirmation') await sns.confirm(envelope)
    if (envelope.Type !== 'Notification') return success
    // The first message of SNS to a new subscriber is not JSON.
    await recordEvents(call, readSesEvents(parseJson(String(envelope.Message))), workspace_id, services)
    return success
  }
}

/** Receives batches of SendGrid's signed event webhook. */
export function sendgridReceiver(services: WebhookServices): WebhookReceiver {
  return async (call, request) => {
    const { workspace_id, webhook } = findWebhook('sendgrid', request, services)
    const [timestamp, signature] = ['timestamp', 'signature'].map((name) =>
      textIn(request.headers[`x-twilio-email-event-webhook-${name}`]),
    )
    if (!isSignedBySendgrid(request.body as Buffer, timestamp, signature, webhook.public_key))
      throw forbidden(notSigned)
    await recordEvents(call, readSendgridEvents(parseBody(request)), workspace_id, services)
    return success
  }
}

/** Receives Mailgun's webhooks. Each is signed with its own token, which is valid for one request. */
export function mailgunReceiver(services: WebhookServices): WebhookReceiver {
  return async (call, request) => {
    const { workspace_id, webhook } = findWebhook('mailgun', request, services)
    const credential = await findCredential(call.db, workspace_id, webhook.credential)
    if (credential === undefined) throw notFound('Not found')
    const body = parseBody(request)
    const token = verifyMailgun(body, credential.password, call.clock.elapsed())
    if (token === undefined) throw forbidden(notSigned)
    const isFirst = await onceForToken(call, workspace_id, token, () =>
      recordEvents(call, readMailgunEvents(body), workspace_id, services),
    )
    if (!isFirst) throw forbidden(notSigned)
    return success
  }
}

/**
 * Finds the workspace in the path, and its settings for the provider. Throws 404: the answer for an unknown workspace is the same as for
 * one without this webhook.
 */
export function findWebhook<P extends WebhookProvider>(
  provider: P,
  { params }: RequestHead,
  { workspaces }: Pick<WebhookServices, 'workspaces'>,
): { readonly workspace_id: number; readonly webhook: NonNullable<Webhooks[P]> } {
  const workspace = workspaces.find(params.workspace ?? '')
  const webhook = workspace?.settings.webhooks[provider]
  if (workspace === undefined || webhook === undefined) throw notFound('Not found')
  return { workspace_id: workspace.workspace_id, webhook }
}

function parseBody({ body }: Request): unknown {
  const parsed = parseJson(body as Buffer)
  if (typeof parsed !== 'object' || parsed === null) throw invalid('The request body must be JSON')
  return parsed
}

/** Records events one after the other, since a batch often has an address several times. Ignores events without a message and address. */
async function recordEvents(
  call: Call,
  events: readonly ProviderEvent[],
  workspace_id: number,
  services: WebhookServices,
): Promise<void> {
  const { db, clock } = call
  for (const event of events) {
    const target = findMessageToken(event.tokenTexts, services.secret)
    if (isEngagement(event)) await recordEngagement(event, target, workspace_id, services)
    else await recordFeedback({ ...event, target }, { db, clock, ...services }, workspace_id)
  }
}

async function recordEngagement(
  { verb, agent, ip }: EngagementEvent,
  target: TokenTarget | undefined,
  workspace_id: number,
  { engagements }: WebhookServices,
): Promise<void> {
  if (target === undefined) return
  const request = { method: 'GET', agent, purpose: undefined, ip }
  if (verb === 'opened') engagements.addOpen(target, request, workspace_id)
  else await engagements.addClick(target, -1, request, workspace_id)
}
