import { shortLockTimeout } from '../../../base/db/transaction-settings.ts'
import { Failure } from '../../../base/errors.ts'
import { pushTokenIdentifier } from '../../../people/identity/identifier.ts'
import { bucketsOf, type Person } from '../../../people/identity/person.ts'
import { removePushTokens } from '../../../people/profile/remove-push-tokens.ts'
import type { TransportOutcome } from '../../messages/transport-outcome.ts'
import type { ChannelServices, MessageTransport } from '../channel.ts'
import { usableTokens } from './consent.ts'
import { findTokens, type TokenOfDevice } from './consent-store.ts'
import { type DeviceOutcome, outcomeOfAll } from './outcome.ts'
import type { PreparedPush } from './prepare-pushes.ts'
import { devicesMax, type PushName, platformOf } from './push-message.ts'
import { ReachedDevices } from './reached-devices.ts'

/** Sends a push to one device. */
export type PushSender = {
  /** Names the service without secrets. */
  readonly server: string
  send(token: string, push: PreparedPush, signal: AbortSignal): Promise<DeviceOutcome>
  close(): Promise<void>
}

/** Pushes in flight at once. After a kill, the outcome of as many can be uncertain. */
export const pushConnections = 10

type SendServices = Pick<ChannelServices, 'db' | 'clock' | 'log'>

/** Opens a transport that sends each push to the devices of its person, and removes the tokens that a service no longer knows. */
export function openPushTransport(
  name: PushName,
  sender: PushSender,
  services: SendServices,
): MessageTransport<PreparedPush> {
  const reached = new ReachedDevices()
  return {
    server: sender.server,
    connections: pushConnections,
    send: (prepared, signal) => sendToDevices(name, sender, reached, prepared, signal, services),
    close: () => sender.close(),
  }
}

async function sendToDevices(
  name: PushName,
  sender: PushSender,
  reached: ReachedDevices,
  prepared: PreparedPush,
  signal: AbortSignal,
  services: SendServices,
): Promise<TransportOutcome> {
  const { message_id, push } = prepared
  let found: Awaited<ReturnType<typeof findTokens>>
  try {
    found = await findTokens(services.db, prepared, platformOf[name])
  } catch (error) {
    // Nothing was sent. A database that is away is no defect, and the message is tried again.
    if (error instanceof Failure) return { kind: 'unreached', message: error.message }
    throw error
  }
  const all = usableTokens(name, found?.tokens ?? [])
  const wanted = all.slice(0, push.send_to_most_recent_device_only ? 1 : devicesMax)
  const earlier = reached.of(message_id)
  const left = wanted.filter(({ token }) => !earlier.has(token))
  const sent = await Promise.all(
    left.map(async (one) => ({ one, outcome: await sender.send(one.token, prepared, signal) })),
  )
  const accepted = sent.filter(({ outcome }) => outcome.kind === 'accepted').map(({ one }) => one.token)
  const has = new Set([...earlier, ...accepted])
  const outcome = outcomeOfAll(
    sent.map(({ one, outcome: own }) => ({ device: one.device_id, outcome: own })),
    wanted.length - left.length,
  )
  if (outcome.kind === 'accepted' || outcome.kind === 'refused') reached.forget(message_id)
  else if (has.size > 0) reached.remember(message_id, has)
  const gone = sent.flatMap(({ one, outcome: own }) => (own.kind === 'gone' ? [one] : []))
  if (!found || gone.length === 0) return outcome
  const tokensRemoved = await removeGone(prepared.workspace_id, found.owner, gone, services)
  return { ...outcome, tokensRemoved }
}

/** Removes tokens that a service no longer knows, and returns how many. One that another person has by now is theirs. */
async function removeGone(
  workspace_id: number,
  owner: Person,
  gone: readonly TokenOfDevice[],
  { db, clock, log }: SendServices,
): Promise<number> {
  const rows = gone.map(({ app_id, token }) => {
    const { value } = pushTokenIdentifier(app_id, token)
    const { bucket } = bucketsOf(workspace_id, 'push_token', value)
    return { bucket, workspace_id, kind: 'push_token' as const, value, owner, app_id, token }
  })
  try {
    await db.transaction((tx) => removePushTokens(tx, rows, clock.elapsed()), { settings: shortLockTimeout })
    return rows.length
  } catch (error) {
    // The next push to the device says again that the token is gone.
    log.warn({ err: error }, 'push tokens that are gone could not be removed')
    return 0
  }
}
