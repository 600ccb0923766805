import { importsOf } from './imports.ts'
import { dashboardLadder } from './lists.ts'
import { areaOf, type Problem, type Tree } from './source.ts'

/** Imports in the dashboard go down: from screens to pages, to the frame, to words, to parts that know no route and no request. */
export function checkDashboardLadder(tree: Tree): Problem[] {
  const files = tree.files.filter(({ path }) => path.startsWith('dashboard/src/') && /\.tsx?$/.test(path))
  return files.flatMap((file) => {
    const here = rowOf(file.path)
    if (here < 0) {
      const rows = dashboardLadder.flat().join(', ')
      return [{ path: file.path, message: `stands nowhere: move it to one of ${rows} (test/structure/lists.ts)` }]
    }
    return importsOf(file).flatMap(({ path, line }) => {
      if (path === undefined || areaOf(path) !== 'dashboard' || !/\.tsx?$/.test(path)) return []
      const there = rowOf(path)
      if (there > here || partOf(path) === partOf(file.path)) return []
      const message = `imports ${path}, which is ${there === here ? 'beside' : 'above'} it: move what is shared down`
      return [{ path: file.path, line, message }]
    })
  })
}

/** Parts of the screen come from `ui` alone, so that they look and behave the same everywhere. */
export function checkDashboardParts(tree: Tree): Problem[] {
  return tree.files.flatMap(importsOf).flatMap(({ from, specifier, line }) => {
    const inUi = from.path.startsWith('dashboard/src/ui/')
    const isApplication = /^@tanstack\//.test(specifier)
    if (!inUi || !isApplication) return []
    return [{ path: from.path, line, message: `imports ${specifier}: ui knows no route and no request` }]
  })
}

function partOf(path: string): string {
  return path
    .replace('dashboard/src/', '')
    .replace(/\.tsx?$/, '')
    .split('/')[0]!
}

function rowOf(path: string): number {
  return dashboardLadder.findIndex((parts) => parts.includes(partOf(path)))
}
