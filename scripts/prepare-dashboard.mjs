// Builds the dashboard when its files or its packages have changed. A build that fails stops nothing: the service starts without it.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce, runScript } from './build-once.mjs'

const reasonCharactersMax = 300

/**
 * Builds `dashboard/` into `dashboard/dist` with this Node, unless it is built. Resolves to whether it is built then.
 * `say` prints a line for the person who starts the service.
 */
export async function prepareDashboard(root, node, say) {
  if (!existsSync(join(root, 'dashboard'))) return false
  const folder = join(root, 'dashboard', 'dist')
  const build = () => buildDashboard(root, folder, node, say)
  return buildOnce({ root, sources: ['dashboard'], folder, what: 'The dashboard', build }, say)
}

async function buildDashboard(root, folder, node, say) {
  say('Building the dashboard. This happens once after each change of it.')
  const startedAt = Date.now()
  const failed = join(folder, '.failed')
  rmSync(failed, { force: true })
  const { status, output } = await runScript(root, node, 'build-dashboard.ts')
  if (status === 0) {
    say(`Built the dashboard in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
    return true
  }
  say(`${output.trimEnd()}\n\nThe dashboard could not be built; the output is above. The service starts without it.`)
  writeFileSync(failed, reasonFrom(status, output, root))
  return false
}

/** Returns one line for the page that is shown instead of the dashboard. It is public, so it names no folder of this machine. */
function reasonFrom(status, output, root) {
  const line = output.split('\n').find((each) => /error|cannot|failed/i.test(each)) ?? output.split('\n')[0] ?? ''
  const reason = line.replaceAll(root, '').trim().slice(0, reasonCharactersMax)
  return `The dashboard could not be built (status ${status}). ${reason} The terminal of "npm start" has the whole output.`
}
