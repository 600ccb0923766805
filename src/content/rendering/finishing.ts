/**
 * Long texts do not go to the service. A module of the caller makes what is needed of them, in the process that rendered them: its work
 * cannot hold the service, and texts wait nowhere.
 */
export type Finishing = {
  /** The URL of the module. It exports `openFinish` (`OpenFinish`). */
  readonly module: string
  /** The names of the texts that it takes. */
  readonly takes: readonly string[]
  /** It takes them when a person has more characters of them. */
  readonly aboveCharacters: number
  /** What it needs for all people. */
  readonly shared: unknown
}

/** Asks the caller for what only the service has. */
export type AskCaller = (question: unknown) => Promise<unknown>

/** Opens a module for the people of a page. `own`: what it needs for each of them. */
export type OpenFinish = (shared: unknown, own: readonly unknown[], ask: AskCaller) => Promise<Finish>

/** Finishes the texts of a person. `person` is the position in `own`. */
export type Finish = (person: number, texts: Readonly<Record<string, string>>) => Promise<Finished>

/** What was made of the texts of a person, and its size in bytes. */
export type Finished = { readonly value: unknown; readonly bytes: number }
