import { findChannel } from '../channels/channels.ts'
import { reasonOfChannel } from '../channels/reason-of-channel.ts'
import { familyOf } from '../ledger/families.ts'
import type { Reason } from '../ledger/reasons.ts'

type NamedFlow = { readonly kind: string; readonly name: string }

/** What a sentence is about: a message, or without a channel an entry. */
export type Subject = {
  readonly channel: string | null
  readonly subject: string | null
  readonly address: string | null
  readonly flow: NamedFlow | undefined
  readonly step: string | null
}

const flowWords = ({ kind, name }: NamedFlow) => `the ${kind} "${name}"`

/** Returns such as `the mail "Three tips" of the canvas "Trial", step tips`. Pure. */
export function messageWords({ channel, subject, flow, step }: Subject): string {
  const what = `the ${findChannel(channel ?? '')?.words.one ?? `message by ${channel}`}`
  const titled = subject === null ? what : `${what} "${subject}"`
  if (!flow) return titled
  return `${titled} of ${flowWords(flow)}${step && flow.kind === 'canvas' ? `, step ${step},` : ''}`
}

/** Returns what was decided, in a sentence. Pure. */
export function decisionSentence(about: Subject, reason: Reason): string {
  const { channel, flow, step, address } = about
  const because = reasonOfChannel(reason, channel ?? '')
  if (!channel) {
    const where = flow ? flowWords(flow) : 'the canvas'
    return step
      ? `The person left ${where} at the step ${step}: ${because}.`
      : `The person did not enter ${where}: ${because}.`
  }
  const what = messageWords(about)
  const isCall = channel === 'webhook'
  if (reason === 'sent') {
    return capital(
      `${what} was ${isCall ? 'called' : 'sent'}${address === null ? '' : ` ${isCall ? 'at' : 'to'} ${address}`}.`,
    )
  }
  const done = isCall ? 'called' : 'sent'
  if (familyOf(reason) === 'uncertain') return `It is uncertain whether ${what} was ${done}: ${because}.`
  return capital(`${what} was not ${done}: ${because}.`)
}

/** Returns what something that has not ended waits for, in a sentence. Pure. */
export function waitSentence(about: Subject, waitsFor: string): string {
  if (about.channel) return capital(`${messageWords(about)} waits for ${waitsFor}.`)
  return `The order${about.flow ? ` of ${flowWords(about.flow)}` : ''} waits for ${waitsFor}.`
}

/** Where a person stands in a flow, or how an entry ended. */
export type Standing = {
  readonly flow: NamedFlow
  readonly ended: string | null
  /** Why it ended; null while it is open. */
  readonly because: string | null
  readonly waitsFor: string | null
  /** The name of the step. */
  readonly step: string | null
  /** Whether the entry ended before its first step. */
  readonly neverBegan: boolean
}

/** Returns where a person stands in a flow, or how the entry ended, in a sentence. Pure. */
export function entrySentence({ flow, ended, because, waitsFor, step, neverBegan }: Standing): string {
  const at = step === null ? '' : ` at the step "${step}"`
  if (ended === null) return `The person is in ${flowWords(flow)}${at}, and waits for ${waitsFor ?? 'the next step'}.`
  if (ended === 'completed') return `The person reached the end of ${flowWords(flow)}.`
  if (neverBegan) return `The person did not enter ${flowWords(flow)}: ${because}.`
  return `The person left ${flowWords(flow)}${at}: ${because}.`
}

/** Returns why a person never entered a flow, in a sentence. Pure. */
export function neverSentence(flow: NamedFlow, because: string): string {
  return `The person has not entered ${flowWords(flow)}: ${because}.`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
