import type { LucideIcon } from 'lucide-react'

/** A screen as the frame knows it: where it is, who may see it, and how it is reached. */
export type ScreenEntry = {
  readonly label: string
  /** The heading under which the rail lists it; empty for none. */
  readonly group: string
  readonly icon: LucideIcon
  readonly path: (workspace: string) => string
  /** What it takes to see it. */
  readonly ability: string
  /** The letter after `g`. */
  readonly letter: string
}
