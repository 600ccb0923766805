import { invalid } from '../../base/errors.ts'
import { readVariables } from '../../content/rendering/preview.ts'
import { isCleanText, isObject } from '../../people/values/values.ts'
import type { Channel } from '../channels/channel.ts'
import { allChannels } from '../channels/channels.ts'
import { idCharactersMax, personCharactersMax } from './schema.ts'

const mailTexts = ['from', 'reply_to', 'subject', 'preheader', 'body', 'plaintext_body'] as const
const mailIds = ['email_template_id', 'app_id'] as const

/** The texts of a mail in a request. Absent ones are those of the template. */
export type GivenMail = { readonly [name in (typeof mailTexts)[number] | (typeof mailIds)[number]]?: string } & {
  readonly should_inline_css?: boolean
}

export type GivenBlock = { readonly content_block_id?: string; readonly content?: string }

/** A message of a channel whose contents are read as in a step. */
export type GivenMessage = {
  readonly channel: Channel
  readonly trial: NonNullable<Channel['trial']>
  readonly content: unknown
}

/** A preview that is asked for: what is shown, and for which person. */
export type GivenPreview = {
  readonly mail?: GivenMail
  readonly content_block?: GivenBlock
  readonly message?: GivenMessage
  readonly person?: string
  /** Variables by their roots. They stand in place of those of the person. */
  readonly personal?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

type Item = Readonly<Record<string, unknown>>

type PreviewKind = 'mail' | 'content_block' | 'message'

/** Reads a request for a preview. `kinds`: what may be shown. `others`: members beside what is shown. Throws 400. */
export function readPreview(
  body: unknown,
  kinds: readonly PreviewKind[],
  others: readonly string[] = [],
): GivenPreview {
  if (!isObject(body)) throw invalid(`The body must be an object with ${kinds.map((kind) => `'${kind}'`).join(' or ')}`)
  const beside = kinds.includes('message') ? ['channel', ...others] : others
  refuseOthers(body, [...kinds, 'person', 'personal', ...beside], '')
  const given = kinds.filter((kind) => body[kind] !== undefined)
  if (given.length !== 1)
    throw invalid(`A preview is of ${kinds.map((kind) => `'${kind}'`).join(' or ')}, of one of them`)
  const person = readText(body, 'person', '', personCharactersMax)
  if (body.personal !== undefined) readVariables(body.personal)
  return {
    ...readShown(given[0]!, body),
    ...(person !== undefined && { person }),
    ...(body.personal !== undefined && { personal: body.personal as NonNullable<GivenPreview['personal']> }),
  }
}

function readShown(kind: PreviewKind, body: Item): GivenPreview {
  if (kind === 'message') return { message: readMessage(body) }
  for (const name of ['channel', 'to'])
    if (body[name] !== undefined) throw invalid(`'${name}' is a member of a preview of 'message' only`)
  return kind === 'mail' ? { mail: readMail(body.mail) } : { content_block: readBlock(body.content_block) }
}

function readMessage({ channel: name, message }: Item): GivenMessage {
  const channels = allChannels().filter(({ trial }) => trial !== undefined)
  const channel = channels.find((each) => each.name === name)
  if (!channel?.trial) throw invalid(`'channel' must be ${channels.map((each) => each.name).join(' or ')}`)
  return { channel, trial: channel.trial, content: channel.trial.read(message, 'message') }
}

function readMail(mail: unknown): GivenMail {
  if (!isObject(mail)) throw invalid("'mail' must be an object")
  refuseOthers(mail, [...mailTexts, ...mailIds, 'should_inline_css'], 'mail.')
  const { should_inline_css } = mail
  if (should_inline_css !== undefined && typeof should_inline_css !== 'boolean')
    throw invalid("'mail.should_inline_css' must be true or false")
  const texts = mailTexts.map((name) => [name, readText(mail, name, 'mail.')] as const)
  const ids = mailIds.map((name) => [name, readText(mail, name, 'mail.', idCharactersMax)] as const)
  const given = Object.fromEntries([...texts, ...ids].filter(([, text]) => text !== undefined))
  if (Object.keys(given).length === 0) throw invalid("'mail' must have a text or 'email_template_id'")
  return { ...given, ...(should_inline_css !== undefined && { should_inline_css }) }
}

function readBlock(block: unknown): GivenBlock {
  if (!isObject(block)) throw invalid("'content_block' must be an object")
  refuseOthers(block, ['content_block_id', 'content'], 'content_block.')
  const content_block_id = readText(block, 'content_block_id', 'content_block.', idCharactersMax)
  const content = readText(block, 'content', 'content_block.')
  if (content_block_id === undefined && content === undefined)
    throw invalid("'content_block' must have 'content' or 'content_block_id'")
  return { ...(content_block_id !== undefined && { content_block_id }), ...(content !== undefined && { content }) }
}

/** `charactersMax`: the text is looked up, and must be one that can be stored. */
function readText(object: Item, name: string, at: string, charactersMax?: number): string | undefined {
  const text = object[name]
  if (text === undefined) return undefined
  if (typeof text !== 'string') throw invalid(`'${at}${name}' must be a text`)
  if (charactersMax !== undefined && (text.length > charactersMax || !isCleanText(text)))
    throw invalid(`'${at}${name}' is not valid`)
  return text
}

function refuseOthers(object: Item, known: readonly string[], at: string): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalid(`'${at}${unknown}' is not a member of a preview`)
}
