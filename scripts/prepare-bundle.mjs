// Joins the modules of the program into a few files when one of them has changed: to load two thousand files takes a second.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce, runScript } from './build-once.mjs'
import { bundlePath } from './bundle-path.mjs'

/** Builds the bundle with this Node, unless it is built. Without it the program runs from its modules (`run.mjs`). */
export async function prepareBundle(root, node, say) {
  if (!existsSync(join(root, 'src'))) return false
  const folder = join(root, bundlePath, '..')
  const build = async () => {
    // What is old must not run.
    rmSync(join(root, bundlePath), { force: true })
    const { status, output } = await runScript(root, node, 'build-bundle.ts')
    if (status === 0) return true
    say(
      `${output.trimEnd()}\n\nThe modules could not be joined; the output is above. The program starts without that, more slowly.`,
    )
    return false
  }
  return buildOnce({ root, sources: ['src', 'cli', 'client/src'], folder, what: 'The bundle', build }, say)
}
