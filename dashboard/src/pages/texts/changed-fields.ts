/** Texts by the names of their fields. */
export type Texts = Readonly<Record<string, string>>

/** Returns the fields of `own` that differ from what is stored. */
export function changedFields<T extends Texts>(stored: T, own: Partial<T>): Partial<T> {
  return Object.fromEntries(
    Object.entries(own).filter(([name, text]) => name in stored && text !== stored[name]),
  ) as Partial<T>
}
