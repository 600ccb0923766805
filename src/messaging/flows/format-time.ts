/** Formats a time for the public reads of flows: whole seconds, with an offset. */
export function formatTime(at: Date): string {
  return `${at.toISOString().slice(0, 19)}+00:00`
}

export function formatTimeOrNull(at: Date | null): string | null {
  return at && formatTime(at)
}
