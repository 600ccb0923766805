import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export const clientId = 'easel'
export const clientSecret = 'a-secret-that-only-the-two-know'

/** The claims that the provider makes about an account. */
export type Claims = { readonly email?: string; readonly email_verified?: boolean }

export type IdentityProvider = {
  readonly issuer: string
  /** The accounts it knows, by the name that is typed into its form. */
  readonly accounts: Map<string, Claims>
  /** The URLs of the requests it got. */
  readonly asked: URL[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a real identity provider on a free port. It asks for a name only, and signs in the account of that name. */
export async function openIdentityProvider(): Promise<IdentityProvider> {
  const accounts = new Map<string, Claims>()
  const asked: URL[] = []
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        // Allows a redirect to any port of this machine.
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/sign-in/oidc/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['one key of the test'] },
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...accounts.get(id) }),
    }),
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    asked.push(new URL(request.url!, issuer))
    void answer(request, response)
  })
  return {
    issuer,
    accounts,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
