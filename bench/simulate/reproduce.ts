import { differenceMax, type MeasuredFigure, threeNodes } from './measured.ts'

/** A measured figure beside the simulated one. `difference` is a share of the measured figure; undefined without a simulated one. */
export type Reproduced = Omit<MeasuredFigure, 'simulated'> & {
  readonly simulated: number | undefined
  readonly difference: number | undefined
}

export function reproduce(figures: readonly MeasuredFigure[] = threeNodes): Reproduced[] {
  return figures.map(({ simulated: compute, ...figure }) => {
    const simulated = compute()
    if (Number.isNaN(simulated)) return { ...figure, simulated: undefined, difference: undefined }
    return { ...figure, simulated, difference: simulated / figure.measured - 1 }
  })
}

/** Whether the simulation gives a figure within the limit. */
export function isReproduced({ difference }: Reproduced): boolean {
  return difference !== undefined && Math.abs(difference) <= differenceMax
}
