import { invalid } from '../../../base/errors.ts'
import { isCleanText, isObject } from '../../../people/values/values.ts'
import type { ChannelTrial, TrialMistake, TrialTarget } from '../channel.ts'
import { openCaller } from './caller.ts'
import { readWebhook, shownUrl, type WebhookContent } from './content.ts'
import { callCharactersMax, findCredentials, type PreparedCall, textLimit } from './prepare-calls.ts'
import {
  callKey,
  type RenderedRequest,
  receiverOf,
  refusedCredential,
  renderedRequest,
  webhookTexts,
} from './request.ts'
import { isSealedMark } from './secret-header.ts'
import { hidden } from './shown-call.ts'

/** A webhook that is being written. `sealed`: the headers whose texts an editor does not have. */
export type UnfinishedWebhook = WebhookContent & { readonly sealed?: readonly string[] }

/** Marks a call as a test, so that its receiver can tell it from others. */
export const testHeader = 'Easel-Test'

const noId = '0'

/** Shows the request of a webhook before it is used, and calls it as a test: once, without retries. */
export const webhookTrial: ChannelTrial<UnfinishedWebhook, PreparedCall> = {
  read(given, path) {
    if (!isObject(given)) throw invalid(`'${path}' must be an object with url`)
    const headers = isObject(given.headers) ? Object.entries(given.headers) : []
    const sealed = headers.flatMap(([name, value]) => (isSealedMark(value) ? [name] : []))
    const open = Object.fromEntries(headers.filter(([name]) => !sealed.includes(name)))
    const unsealed = sealed.length === 0 ? given : { ...given, headers: open }
    const { content, mistake } = readWebhook(unsealed, path, {})
    if (mistake) throw invalid(`'${mistake.path}' ${mistake.message}`)
    return { ...content, sealed }
  },
  textsOf(content) {
    const texts = Object.entries(webhookTexts(content))
    return Object.fromEntries(texts.map(([name, text]) => [name, { text, ...textLimit(name) }]))
  },
  make: makeCall,
  recipient: { kind: 'server' },
  async complete(tx, call) {
    const { workspace_id, request } = call
    const credentials = await findCredentials(tx, workspace_id, request)
    const refusal = refusedCredential(request, request.url, credentials)
    return refusal ? { text: 'headers', mistake: refusal.refused } : { ...call, credentials }
  },
  // An emulator, which judges what the inbox takes, calls nobody.
  openTransport: (services) => (services.judge ? undefined : openCaller(services)),
  keepsAll: ({ mail_delivery }) => mail_delivery === 'inbox',
}

function makeCall(
  content: UnfinishedWebhook,
  texts: Readonly<Record<string, string>>,
  { workspace, test }: TrialTarget,
): PreparedCall | TrialMistake {
  const { sealed = [] } = content
  const request = renderedRequest(content, texts)
  const { url } = request
  const { protocol } = URL.parse(url) ?? { protocol: '' }
  if (!isCleanText(url) || (protocol !== 'http:' && protocol !== 'https:'))
    return { text: 'url', mistake: 'url is rendered to a text that is no URL of http or https' }
  const characters = Object.values(texts).reduce((sum, text) => sum + text.length, 0)
  if (characters > callCharactersMax)
    return { text: 'body', mistake: `the texts of the call have more than ${callCharactersMax} characters` }
  const [first] = sealed
  if (first !== undefined && test)
    return {
      text: `header ${first}`,
      mistake: `the header ${first} is sealed, so a test cannot have its text: type it again, or give it a credential`,
    }
  return {
    workspace_id: workspace.workspace_id,
    request: withHeaders(request, { ...seals(sealed), ...(test && { [testHeader]: 'true' }) }),
    ...{ credentials: new Map(), refusal: undefined, key: callKey(test ? `test-${test.id}` : noId) },
    address: receiverOf(url),
    subject: `${test?.mark ?? ''}${request.method} ${shownUrl(url)}`,
    ...{ links: [], warnings: warningsOf(content, request), bytes: characters },
  }
}

function seals(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, hidden]))
}

/** Returns a request with these headers in place of its own of the same names. */
function withHeaders(request: RenderedRequest, headers: Readonly<Record<string, string>>): RenderedRequest {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const others = Object.entries(request.headers).filter(([name]) => !names.includes(name.toLowerCase()))
  return { ...request, headers: { ...Object.fromEntries(others), ...headers } }
}

function warningsOf({ body }: WebhookContent, { method }: RenderedRequest): string[] {
  return body !== undefined && method === 'GET' ? ['A request with GET has no body, so the body is not sent.'] : []
}
