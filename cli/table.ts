/** Formats rows as a table of columns. The first row has the titles. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows.map((row) => lineOf(row, widths)).join('\n')
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, i) => cell.padEnd(widths[i]!))
    .join('  ')
    .trimEnd()
}
