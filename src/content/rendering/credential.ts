/** A stored user name and password for requests to other servers. `origins` are the only origins to which they may be sent. */
export type Credential = {
  readonly user_name: string
  readonly password: string
  readonly origins: readonly string[]
}

/** Finds a credential of a workspace by its name. */
export type FindCredential = (workspace_id: number, name: string) => Promise<Credential | undefined>

/** Whether a credential may be sent to the server of this URL. */
export function mayBeSentTo({ origins }: Pick<Credential, 'origins'>, url: string): boolean {
  return origins.includes(URL.parse(url)?.origin ?? '')
}

/** The value of the header `Authorization`. */
export function basicAuthorization({ user_name, password }: Credential): string {
  return `Basic ${Buffer.from(`${user_name}:${password}`).toString('base64')}`
}
