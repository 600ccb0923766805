/** An environment variable. */
type Declared<T> = {
  readonly name: string
  readonly meaning: string
  /** Completes the sentence "accepted is ...". */
  readonly accepts: string
  /** The value is never repeated in an error or a log. */
  readonly secret?: true
  /** Reads the given text. Returns undefined when it is not acceptable. */
  readonly read: (given: string) => T | undefined
}
/** A variable with a default: `preset`, as text. */
export type Preset<T> = Declared<T> & { readonly preset: string }
/** A variable without a default. `unset` says what happens without a value. */
export type Optional<T> = Declared<T> & { readonly unset: string }

export const preset = <T>(variable: Preset<T>): Preset<T> => variable
export const optional = <T>(variable: Optional<T>): Optional<T> => variable
