/** The databases of a running server. */
export type Databases = {
  /** Returns the URL of a database, with the superuser as the user. */
  url(name: string): string
  /** Creates a database, as a copy of `template` when given. Returns its URL. */
  createDatabase(name: string, template?: string): Promise<string>
}
