import type { Call } from '../../base/call.ts'
import { Failure, forbidden, invalid, notFound } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
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
  fieldsOf,
  isEngagement,
  type ProviderEvent,
  parseJson,
  textOf,
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

type WebhookReceiver = (call: Call, request: Request) => Promise<typeof done>

const done = { message: 'success' } as const
const notSigned = 'The signature is not valid'
/** More than SNS publishes and Mailgun posts, escapes included; nobody has to parse more than that to know who has sent it. */
const parsedBytesMax = 1_000_000

/** Takes what Amazon SES publishes through SNS. */
export function amazonSesReceiver(sns: SnsClient, parts: WebhookServices): WebhookReceiver {
  return async (call, request) => {
    const { workspace_id, settings } = workspaceOf(request, parts)
    const topic = settings.webhooks.amazon_ses?.topic_arn
    if (topic === undefined) throw notFound('Not found')
    const envelope = fieldsOf(parseSmall(request))
    if (!(await sns.isSigned(envelope, topic, call.clock.elapsed()))) throw forbidden(notSigned)
    if (envelope.Type === 'SubscriptionConfirmation') await sns.confirm(envelope)
    if (envelope.Type !== 'Notification') return done
    // What is no JSON is the greeting of a new topic.
    await recordEvents(call, readSesEvents(parseJson(String(envelope.Message))), workspace_id, parts)
    return done
  }
}

/** Takes a batch of SendGrid's signed event webhook. */
export function sendgridReceiver(parts: WebhookServices): WebhookReceiver {
  return async (call, request) => {
    const { workspace_id, settings } = workspaceOf(request, parts)
    const key = settings.webhooks.sendgrid?.public_key
    if (key === undefined) throw notFound('Not found')
    const [timestamp, signature] = ['timestamp', 'signature'].map((name) =>
      textOf(request.headers[`x-twilio-email-event-webhook-${name}`]),
    )
    if (!isSignedBySendgrid(request.body as Buffer, timestamp, signature, key)) throw forbidden(notSigned)
    await recordEvents(call, readSendgridEvents(parseBody(request)), workspace_id, parts)
    return done
  }
}

/** Takes Mailgun's webhooks. Each is signed with a word of its own, which is good for one request. */
export function mailgunReceiver(parts: WebhookServices): WebhookReceiver {
  return async (call, request) => {
    const { workspace_id, settings } = workspaceOf(request, parts)
    const name = settings.webhooks.mailgun?.credential
    const credential = name === undefined ? undefined : await findCredential(call.db, workspace_id, name)
    if (credential === undefined) throw notFound('Not found')
    const body = parseSmall(request)
    const word = verifyMailgun(body, credential.password, call.clock.elapsed())
    if (word === undefined) throw forbidden(notSigned)
    const noted = await onceForToken(call, workspace_id, word, () =>
      recordEvents(call, readMailgunEvents(body), workspace_id, parts),
    )
    if (!noted) throw forbidden(notSigned)
    return done
  }
}

/** The workspace in the path; nobody is told which exist. */
function workspaceOf({ params }: Request, { workspaces }: WebhookServices): Workspace {
  const workspace = workspaces.find(params.workspace ?? '')
  if (workspace === undefined) throw notFound('Not found')
  return workspace
}

function parseSmall(request: Request): unknown {
  if (request.bodyBytes > parsedBytesMax) throw new Failure('tooLarge', 'The request body is too large')
  return parseBody(request)
}

function parseBody({ body }: Request): unknown {
  const parsed = parseJson(body as Buffer)
  if (typeof parsed !== 'object' || parsed === null) throw invalid('The request body must be JSON')
  return parsed
}

/** One after the other: a batch often has the same address several times. What one says of nobody is passed over. */
async function recordEvents(
  call: Call,
  events: readonly ProviderEvent[],
  workspace_id: number,
  parts: WebhookServices,
): Promise<void> {
  const { db, clock } = call
  for (const event of events) {
    const named = findMessageToken(event.tokenTexts, parts.secret)
    if (isEngagement(event)) await recordEngagement(event, named, workspace_id, parts)
    else await recordFeedback({ ...event, named }, { db, clock, ...parts }, workspace_id)
  }
}

async function recordEngagement(
  { verb, agent, ip }: EngagementEvent,
  named: TokenTarget | undefined,
  workspace_id: number,
  { engagements }: WebhookServices,
): Promise<void> {
  if (named === undefined) return
  const seen = { method: 'GET', agent, purpose: undefined, ip }
  if (verb === 'opened') engagements.addOpen(named, seen, workspace_id)
  else await engagements.addClick(named, -1, seen, workspace_id)
}
