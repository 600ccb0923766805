import { allowedNames, bannedWords, generatedFiles } from './lists.ts'
import { areaOf, isAmbient, isProgram, lineOf, type Problem, type Tree } from './source.ts'

const declaration = /\b(?:(function|class|interface)\s+\*?\s*([A-Za-z_$][\w$]*)|(type)\s+([A-Za-z_$][\w$]*)\s*[=<])/g
const arrow = /\bconst\s+([A-Za-z_$][\w$]*)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:<[^=]*>)?\([^=]*=>/g

/** Files, types and functions are named for what they do. Those that a script prints have the names of the interface. */
export function checkNames(tree: Tree): Problem[] {
  const written = tree.files.filter((file) => isProgram(file) && !generatedFiles.includes(file.path))
  return written.flatMap((file) => {
    const declared = [
      ...[...file.code.matchAll(declaration)].map((match) => ({
        at: match.index,
        kind: (match[1] ?? match[3])!,
        name: (match[2] ?? match[4])!,
      })),
      ...[...file.code.matchAll(arrow)].map((match) => ({ at: match.index, kind: 'function', name: match[1]! })),
    ]
    return declared.flatMap(({ at, kind, name }) => {
      const reason =
        objectionTo(name, file.path) ??
        (kind !== 'function' && /^I[A-Z][a-z]/.test(name) ? 'the I says nothing' : undefined)
      return reason === undefined
        ? []
        : [{ path: file.path, line: lineOf(file.code, at), message: `${name}: ${reason}` }]
    })
  })
}

// "service" is a word of the contract where it begins a name (`service_id`), and what tests and benchmarks start.
function objectionTo(name: string, path: string): string | undefined {
  if (allowedNames.includes(name)) return
  const words = name.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())
  const mayServe = ['test', 'bench'].includes(areaOf(path))
  const isBanned = (word: string, i: number) => word !== 'service' || (i === words.length - 1 && !mayServe)
  const banned = words.find((word, i) => word in bannedWords && isBanned(word, i))
  return banned === undefined ? undefined : `"${banned}" names nothing; ${bannedWords[banned]}`
}

const productName = /^[a-z0-9]+(-[a-z0-9]+){0,3}(\.generated|\.config)?\.(ts|tsx|mjs)$/
const testName = /^[a-z0-9]+(-[a-z0-9]+)*(\.(long|alone))*(\.test)?\.(ts|mjs)$/

/** kebab-case, four words at most in the product; no index files. */
export function checkFileNames(tree: Tree): Problem[] {
  return tree.files
    .filter((file) => isProgram(file) && !isAmbient(file.path))
    .flatMap(({ path }) => {
      const parts = path.split('/')
      const file = parts.at(-1)!
      if (/^index\./.test(file)) return [{ path, message: 'no index files: import the file that has it' }]
      const pattern = areaOf(path) === 'test' || areaOf(path) === 'bench' ? testName : productName
      if (!pattern.test(file)) return [{ path, message: 'name it in kebab-case, a noun or a verb, four words at most' }]
      const objection = parts
        .map((part) => objectionTo(part.replace(/\..*$/, ''), path))
        .find((reason) => reason !== undefined)
      return objection === undefined ? [] : [{ path, message: objection }]
    })
}

const exported = /^export (?:declare )?(?:async )?(?:function\*?|class|interface|const|type)\s+([A-Za-z_$][\w$]*)/gm
const roomsMax = 2

/** An exported name that is in more than two rooms has several meanings and explains none of them. */
export function checkExportedNames(tree: Tree): Problem[] {
  const places = tree.files
    .filter((file) => isProgram(file) && areaOf(file.path) === 'src')
    .flatMap(({ path, code }) => [...code.matchAll(exported)].map(([, name]) => ({ name: name!, path })))
  return [...Map.groupBy(places, ({ name }) => name)].flatMap(([name, found]) => {
    const rooms = new Set(found.map(({ path }) => path.split('/').slice(1, 3).join('/')))
    if (rooms.size <= roomsMax) return []
    const message = `exports ${name}, as ${rooms.size} rooms do (${[...rooms].join(', ')}): give it the noun that it is about`
    return [{ path: found[0]!.path, message }]
  })
}
