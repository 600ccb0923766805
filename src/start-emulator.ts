import { type App, type Parts, startApp } from './app.ts'
import type { Config } from './base/config.ts'
import { Emulator } from './emulator/control/emulator.ts'
import { emulatorRoutes } from './emulator/control/routes.ts'

/** A service in memory that can be reset, and that answers as its caller orders. */
export type RunningEmulator = App & {
  /** Makes what there is now the beginning, to which a reset returns. */
  saveBeginning(): Promise<void>
}

/** Starts an emulator. Its configuration has a database in memory and a virtual clock. */
export async function startEmulator(config: Config, parts: Parts = {}): Promise<RunningEmulator> {
  let emulator: Emulator | undefined
  const open = () => emulator!
  const app = await startApp(config, {
    ...parts,
    judge: (message) => emulator?.judge(message),
    attachment: {
      routes: emulatorRoutes(open),
      intercept: (route, call, request) =>
        emulator ? emulator.intercept(route, call, request) : route.handle(call, request),
      observe: (exchange) => emulator?.observe(exchange),
    },
  })
  emulator = new Emulator(app.renewal!)
  await emulator.snapshots.saveBeginning()
  return { ...app, saveBeginning: () => open().snapshots.saveBeginning() }
}
