/** A cell of a grid. */
export type Place = { readonly row: number; readonly column: number }

export type Step = { readonly rows: number; readonly columns: number }

/** Returns the cell some steps away. The edges of the grid stop a move. */
export function moveBy(
  { row, column }: Place,
  step: Step,
  size: { readonly rows: number; readonly columns: number },
): Place {
  return { row: within(row + step.rows, size.rows), column: within(column + step.columns, size.columns) }
}

function within(at: number, count: number): number {
  return Math.max(0, Math.min(at, count - 1))
}
