import { type Arrangement, startKey, stepKey } from './arrange.ts'

/**
 * Returns the step to which a key of the picture leads from another step; undefined when it leads nowhere. With `hasEntry` the entry is a
 * stop too, under the empty id. Pure.
 */
export function stepAfterKey(
  { boxes, lines }: Arrangement,
  id: string,
  key: string,
  hasEntry = false,
): string | undefined {
  const here = id === '' ? startKey : stepKey(id)
  const isStop = (kind: string) => kind === 'step' || (hasEntry && kind === 'start')
  const stepOf = (boxKey: string | undefined) => boxes.find((box) => box.key === boxKey && isStop(box.kind))?.id
  const out = lines.filter(({ from }) => from === here)
  if (key === 'ArrowDown') {
    const next = out.filter(({ to }) => stepOf(to) !== undefined)
    return stepOf((next.find(({ isReturn }) => !isReturn) ?? next[0])?.to)
  }
  if (key === 'ArrowUp') {
    const into = lines.filter(({ from, to }) => to === here && stepOf(from) !== undefined)
    return stepOf((into.find(({ isReturn }) => !isReturn) ?? into[0])?.from)
  }
  if (/^[1-9]$/.test(key)) return stepOf(out.find(({ paths }) => paths.includes(Number(key) - 1))?.to)
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key]
  if (side === undefined) return undefined
  const row = boxes.find((box) => box.key === here)?.row
  const inRow = boxes.filter((box) => box.row === row && box.kind === 'step')
  return inRow[inRow.findIndex((box) => box.key === here) + side]?.id
}
