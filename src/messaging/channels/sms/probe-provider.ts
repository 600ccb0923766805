import { saidBy } from '../../../base/fetch/answers.ts'
import { tryFetch } from '../../../base/fetch/try-fetch.ts'
import { accountUrl, authorizationOf, openProviderFetcher, type Provider } from './provider.ts'

/** What a provider says of the account in `SMS_URL`. `unknown`: it answers, but has no such page. */
export type ProviderProbe = { readonly account: 'accepted' | 'unknown' }

const probeMsMax = 10_000
const answerBytesMax = 65_536

/** Asks the provider for its account. No text is sent. Rejects with the cause when it is not reached or refuses the account. */
export async function probeProvider(provider: Provider): Promise<ProviderProbe> {
  const fetcher = openProviderFetcher(provider)
  try {
    const answer = await tryFetch(fetcher, `${accountUrl(provider)}.json`, {
      headers: { authorization: authorizationOf(provider), accept: 'application/json' },
      ...{ bytesMax: answerBytesMax, timeoutMs: probeMsMax, redirectsMax: 0 },
    })
    if (answer instanceof Error) throw answer
    const { status } = answer
    if (status === 200) return { account: 'accepted' }
    if (status === 404) return { account: 'unknown' }
    throw new Error(`it answered ${saidBy(answer)}`)
  } finally {
    await fetcher.close()
  }
}
