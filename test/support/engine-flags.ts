import settings from '../../package.json' with { type: 'json' }

/** Returns the flags of the engine with which a script of the package starts Node, for programs that are started without npm. */
export function engineFlagsOf(script: 'start' | 'emulator'): string[] {
  return settings.scripts[script].split(' ').filter((part) => /^--(?:max|liftoff|no)-/.test(part))
}
