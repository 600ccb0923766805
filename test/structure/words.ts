import { createHash } from 'node:crypto'
import { chanceFiles, databaseTimeFiles, forbiddenWordHashes } from './lists.ts'
import { areaOf, findAll, isProgram, lineOf, type Problem, type Source, type Tree } from './source.ts'

const isProduct = (file: Source) => isProgram(file) && ['src', 'cli'].includes(areaOf(file.path))

/** An error that is caught and not thrown on needs a reason: a comment inside the block, or right above its `try`. */
export function checkCatch(tree: Tree): Problem[] {
  return tree.files.filter(isProduct).flatMap((file) => {
    const [lines, code] = [file.text.split('\n'), file.code.split('\n')]
    return code.flatMap((line, start) => {
      if (!/\}\s*catch\b.*\{\s*$/.test(line) || isExplained(lines, code, start)) return []
      return [{ path: file.path, line: start + 1, message: 'swallows an error: say in a comment why, or let it rise' }]
    })
  })
}

function isExplained(lines: readonly string[], code: readonly string[], start: number): boolean {
  const indent = lines[start]!.search(/\S/)
  const isComment = (line = '') => /^\s*(\/\/|\/?\*)/.test(line)
  const length = code
    .slice(start + 1)
    .findIndex((line) => line.trimStart().startsWith('}') && line.search(/\S/) <= indent)
  const body = start + 1 + length
  const begin = code.findLastIndex((line, i) => i < start && line.search(/\S/) === indent && /\btry\b/.test(line))
  const isThrown = code.slice(start, body).some((line) => /\bthrow\b/.test(line))
  return isThrown || lines.slice(start + 1, body).some((line) => isComment(line)) || isComment(lines[begin - 1])
}

const clockReadings = [
  /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new |[.\w])Date\(/g,
  /\bperformance\.(now|timeOrigin)\b|\bprocess\.(hrtime|uptime)\b|\bTemporal\.Now\b/g,
]

/** Time is read in one file, so that a virtual clock reaches everything. */
export function checkClock(tree: Tree): Problem[] {
  const remedy = 'take the clock of the call, clock.now() or clock.elapsed()'
  return tree.files
    .filter((file) => isProduct(file) && file.path !== 'src/base/clock.ts')
    .flatMap((file) =>
      clockReadings.flatMap((pattern) => findAll(file, file.code, pattern, (found) => `${found}: ${remedy}`)),
    )
}

const databaseTimes = [
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(\s*\)/gi,
  /\b(current_timestamp|current_date|current_time|localtimestamp|localtime)\b/gi,
]

/** SQL gets its time as a parameter. */
export function checkDatabaseTime(tree: Tree): Problem[] {
  const isSql = (file: Source) => isProduct(file) || file.path.startsWith('migrations/')
  const complain = (found: string) => `${found} in SQL: hand over clock.now() as a parameter`
  return tree.files
    .filter((file) => isSql(file) && !databaseTimeFiles.includes(file.path))
    .flatMap((file) => databaseTimes.flatMap((pattern) => findAll(file, file.strings, pattern, complain)))
}

/** The environment is read once. */
export function checkEnvironment(tree: Tree): Problem[] {
  return tree.files
    .filter((file) => isProduct(file) && file.path !== 'src/base/config.ts')
    .flatMap((file) =>
      findAll(
        file,
        file.code,
        /\bprocess\.env\b/g,
        () => 'reads the environment: add it to the table in src/base/config.ts',
      ),
    )
}

/** A decision must have the same result when it is repeated. */
export function checkChance(tree: Tree): Problem[] {
  return tree.files
    .filter((file) => isProduct(file) && !chanceFiles.includes(file.path))
    .flatMap((file) =>
      findAll(
        file,
        file.code,
        /\bMath\.random\b/g,
        () => 'Math.random: decide by a hash of what it is about, or list the file in chanceFiles',
      ),
    )
}

const tests = (tree: Tree) => tree.files.filter((file) => isProgram(file) && areaOf(file.path) === 'test')

/** Every test runs. A test that cannot run gives the reason in its `skip` option, and is counted as skipped. */
export function checkTestsRun(tree: Tree): Problem[] {
  const remedy = 'take it out; a test that needs something absent says { skip: reason }'
  return tests(tree).flatMap((file) =>
    findAll(
      file,
      file.code,
      /\b(test|it|describe|suite)\.(only|skip|todo)\(|\.skip\(\s*\)|\b(only|skip): true\b/g,
      (found) => `${found} ${remedy}`,
    ),
  )
}

const unfinished = /\b(TODO|FIXME|XXX|HACK)\b/g
const ticket = /\bissues?\s+#?\d+\b|(?<![\w&/])#\d+\b/gi

/** Comments describe the present code, not plans or discussions. */
export function checkComments(tree: Tree): Problem[] {
  return tree.files
    .filter(isProgram)
    .flatMap((file) => [
      ...findAll(file, file.comments, unfinished, (found) => `${found}: do it now, or leave it out`),
      ...findAll(
        file,
        file.comments,
        ticket,
        (found) => `${found}: give the reason itself, the number means nothing here`,
      ),
    ])
}

const machinePath = /(?<![\w./-])\/(work|tmp|root|home)\//g

/** Nothing depends on the machine it was developed on. */
export function checkPaths(tree: Tree): Problem[] {
  return tree.files.flatMap((file) => {
    const places = isProduct(file) ? machinePath : /(?<![\w./-])\/(work|root)\//g
    return findAll(
      file,
      file.text,
      places,
      (found) => `${found}... is a path of one machine: take it from config, or os.tmpdir()`,
    )
  })
}

/** Refuses words that must not appear anywhere. They are stored as hashes, so that this file does not contain them either. */
export function checkWords(tree: Tree, hashes: readonly string[] = forbiddenWordHashes): Problem[] {
  const verdicts = new Map<string, boolean>()
  const isForbidden = (word: string) => {
    const known = verdicts.get(word)
    if (known !== undefined) return known
    const verdict = hashes.includes(createHash('sha256').update(word).digest('hex'))
    verdicts.set(word, verdict)
    return verdict
  }
  return tree.files.flatMap(({ path, text }) =>
    [...`${text} ${path}`.matchAll(/[A-Z]?[a-z]{3,19}|[A-Z]{3,20}/g)]
      .filter(([word]) => isForbidden(word.toLowerCase()))
      .map((match) => ({
        path,
        line: lineOf(text, match.index),
        message: 'holds a forbidden word: the word is `service`',
      })),
  )
}
