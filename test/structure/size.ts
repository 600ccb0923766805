import { columnsMax, fileLinesMax, functionLinesMax, generatedFiles } from './lists.ts'
import { isProgram, type Problem, type Source, type Tree } from './source.ts'

function isWritten(file: Source): boolean {
  return isProgram(file) && !generatedFiles.includes(file.path)
}

/** Files stay short enough to be read at once. */
export function checkFileLength(tree: Tree): Problem[] {
  return tree.files.filter(isWritten).flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length
    if (lines <= fileLinesMax) return []
    return [
      { path, message: `has ${lines} lines of at most ${fileLinesMax}: give one of its subjects a file of its own` },
    ]
  })
}

export function checkColumns(tree: Tree): Problem[] {
  return tree.files
    .filter((file) => isWritten(file) || file.path.startsWith('migrations/'))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => {
        if (line.length <= columnsMax) return []
        return [
          { path, line: i + 1, message: `is ${line.length} columns wide of at most ${columnsMax}: break the line` },
        ]
      }),
    )
}

export function checkFunctionLength(tree: Tree): Problem[] {
  return tree.files.filter(isProgram).flatMap((file) =>
    functionsOf(file)
      .filter(({ lines }) => lines > functionLinesMax)
      .map(({ line, lines, head }) => ({
        path: file.path,
        line,
        message: `"${head}" has ${lines} lines of at most ${functionLinesMax}: take one of its steps out and name it`,
      })),
  )
}

const isFunction = /\bfunction\b\s*\*?\s*[\w$]*\s*[<(]|=>\s*\{$/
const isMethod =
  /^(?!(?:if|for|while|switch|catch|return|await|throw|new|typeof|else|do|with)\b)(?:[\w*]+\s+)*[#\w$[\]."']+(?:<.*>)?\(/
const isGroupOfTests = /\b(describe|suite)\(/

type Extent = { readonly line: number; readonly lines: number; readonly head: string }

/** Finds the functions of a file by indentation: the formatter puts head and end in the same column. */
export function functionsOf({ code, text }: Source): Extent[] {
  const lines = code.split('\n').map((line) => line.trimEnd())
  const originals = text.split('\n')
  return lines.flatMap((line, start) => {
    if (!opensFunction(lines, start) || isGroupOfTests.test(line)) return []
    const end = endOfFunction(lines, start)
    if (end === undefined) return []
    return [{ line: start + 1, lines: end - start + 1, head: originals[start]!.trim().slice(0, 60) }]
  })
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function opensFunction(lines: readonly string[], start: number): boolean {
  const line = lines[start]!
  return (isFunction.test(line) || isMethod.test(line.trimStart())) && hasBody(lines, start)
}

// A head ends with the brace of its body. A head of several lines ends with a closing bracket in the same column and that brace.
function hasBody(lines: readonly string[], start: number): boolean {
  const line = lines[start]!
  if (isFunction.test(line) && line.endsWith('{')) return true
  if (/\)\s*(?::.*)?\{$/.test(line)) return true
  if (!/[(<,]$/.test(line)) return false
  const next = lines.find((other, i) => i > start && other !== '' && indentOf(other) <= indentOf(line))
  return next !== undefined && /^\s*[)>].*\{$/.test(next)
}

function endOfFunction(lines: readonly string[], start: number): number | undefined {
  const indent = indentOf(lines[start]!)
  const end = lines.findIndex((line, i) => {
    const closes = i > start && line !== '' && indentOf(line) <= indent && line.trimStart().startsWith('}')
    return closes && !/^\s*\}[^{]*\).*\{$/.test(line)
  })
  return end < 0 ? undefined : end
}
