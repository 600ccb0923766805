import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { openClient, originIn } from './client.ts'
import type { Verb } from './command.ts'
import { urlOption } from './options.ts'

type Options = { readonly url?: string }

const openers: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' }

export const openVerb: Verb<Options> = {
  description: 'Open the first page of the server in a browser, or another page. Prints its address.',
  notes: 'BROWSER names the program; by default it is the one of the desktop.',
  define: (command) => {
    command.argument('[path]', 'a path such as /docs').addOption(urlOption())
  },
  async run([path = '/'], { url }, { env }) {
    const origin = url ?? originIn(readConfig(env))
    await openClient(origin, '', 0).send('GET', '/health')
    const { href } = new URL(path, origin)
    const program = env.BROWSER || (openers[process.platform] ?? 'xdg-open')
    const browser = spawn(program, [href], { stdio: 'ignore', detached: true })
    await once(browser, 'spawn').catch((error) => {
      throw new Failure('unavailable', `${program} cannot be started; the address is ${href}`, {}, error)
    })
    browser.unref()
    return { result: { url: href }, text: href }
  },
}
