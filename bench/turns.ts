import { median } from './measure.ts'

/** The cost of one message in one turn. */
export type TurnCost = { seconds: number; nodeUs: number; databaseUs?: number }

/** The median cost of a message over all turns. `turnsUs`: CPU microseconds of the process in each turn. */
export type TurnsCost = TurnCost & { what: string; turnsUs: readonly number[] }

/**
 * Measures several things in turns, so that what else the machine does meets all of them. A first turn is a warm-up. Every second turn has
 * the other order.
 */
export async function inTurns(
  turns: number,
  measured: Readonly<Record<string, () => Promise<TurnCost>>>,
): Promise<TurnsCost[]> {
  const all = Object.entries(measured).map(([what, measure]) => ({ what, measure, costs: [] as TurnCost[] }))
  for (const { measure } of all) await measure()
  for (let turn = 0; turn < turns; turn++) {
    for (const { measure, costs } of turn % 2 === 0 ? all : all.toReversed()) costs.push(await measure())
  }
  return all.map(({ what, costs }) => {
    const of = (read: (cost: TurnCost) => number | undefined) => {
      const values = costs.map(read).filter((value) => value !== undefined)
      return values.length === 0 ? undefined : median(values)
    }
    const databaseUs = of((cost) => cost.databaseUs)
    return {
      what,
      seconds: of(({ seconds }) => seconds)!,
      nodeUs: of(({ nodeUs }) => nodeUs)!,
      ...(databaseUs !== undefined && { databaseUs }),
      turnsUs: costs.map(({ nodeUs }) => nodeUs),
    }
  })
}
