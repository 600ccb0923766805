/** The files directly in `src`, from the process down: each row imports the rows below it. */
export const topFiles: readonly (readonly string[])[] = [
  ['main'],
  ['explain-start'],
  ['start-emulator'],
  ['app'],
  ['generations'],
  ['generation'],
  ['start'],
  ['retention'],
  ['routes', 'jobs', 'gauges', 'stop'],
  ['services'],
  ['banner'],
  ['config-sections', 'request-examples'],
]

/**
 * The wings and their rooms. A wing imports the wings of later rows; wings of one row do not import each other. In a wing a room imports
 * the rooms after it. Files of a room may import each other.
 */
export const wings: readonly (readonly Wing[])[] = [
  [
    { wing: 'dashboard', rooms: ['shell'] },
    { wing: 'emulator', rooms: ['control', 'state', 'faults', 'requests'] },
  ],
  [
    {
      wing: 'messaging',
      rooms: [
        'overview',
        'heads',
        'demo',
        'inspect',
        'previews',
        'domains',
        'lookup',
        'timeline',
        'series',
        'why',
        'sign-up',
        'expansion',
        'journeys',
        'delivery',
        'entries',
        'orders',
        'feedback',
        'statuses',
        'drafts',
        'flows',
        'inbox',
        'channels',
        'mail',
        'messages',
        'ledger',
      ],
    },
  ],
  [
    { wing: 'audience', rooms: ['exports', 'builder', 'series', 'segments', 'conditions'] },
    {
      wing: 'content',
      rooms: ['rendering', 'templates', 'blocks', 'centers', 'forms', 'media', 'texts', 'liquid', 'catalogs'],
    },
  ],
  [
    {
      wing: 'people',
      rooms: [
        ...[
          'webhooks',
          'edits',
          'search',
          'lists',
          'backup',
          'devices',
          'merge',
          'aliases',
          'export',
          'intake',
          'confirmations',
          'addresses',
          'subscription',
          'cohorts',
        ],
        ...['received', 'signals', 'history', 'profile', 'feed', 'identity', 'values'],
      ],
    },
  ],
  [{ wing: 'accounts', rooms: ['administration', 'scim', 'sign-in', 'accounts', 'sessions', 'permissions', 'keys'] }],
  [
    {
      wing: 'workspace',
      rooms: ['backups', 'moving', 'clock', 'file', 'traffic', 'requests', 'audit', 'tallies', 'settings', 'names'],
    },
  ],
  [{ wing: 'base', rooms: ['otel', 'http', 'call', 'work', 'fetch', 'db', ''] }],
]

export type Wing = { readonly wing: string; readonly rooms: readonly string[] }

/** The files and folders of `dashboard/src`: each row imports the rows below it. */
export const dashboardLadder: readonly (readonly string[])[] = [
  ['main'],
  ['screens'],
  ['pages'],
  ['frame'],
  ['canvas', 'audience'],
  ['draft'],
  ['paths'],
  ['api', 'words'],
  ['ui'],
]

/** Which top folders a file of a top folder may import from. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  src: ['src'],
  cli: ['cli', 'src', 'client'],
  client: ['client'],
  scripts: ['scripts', 'src', 'test'],
  bench: ['bench', 'src', 'cli', 'test', 'dashboard'],
  examples: ['examples', 'client'],
  dashboard: ['dashboard'],
  test: ['test', 'src', 'cli', 'scripts', 'bench', 'dashboard', 'client'],
}

export const fileLinesMax = 400
export const functionLinesMax = 70
export const columnsMax = 140

/** Files that a script prints: their sizes and names are those of the interface. */
export const generatedFiles: readonly string[] = [
  'client/src/operations.ts',
  'client/src/types.ts',
  'dashboard/src/api/channels.ts',
  'dashboard/src/api/flow-shapes.ts',
  'dashboard/src/api/generated.ts',
  'dashboard/src/api/segments.ts',
  'dashboard/src/api/settings-schema.ts',
]

/** Files that may ask the database for its time: the offset of the clock is taken there. */
export const databaseTimeFiles: readonly string[] = ['src/base/db/server-time.ts']

/** Files that may use Math.random: the outcome decides nothing that is visible outside. */
export const chanceFiles: readonly string[] = []

/** Files that are started by name and not imported, besides tests and the files in package.json. */
export const entryPoints: readonly string[] = [
  'src/main.ts',
  'cli/main.ts',
  'bench/main.ts',
  // Readers run it, and so does the test of the pages.
  'examples/track-from-web-shop.mjs',
  'dashboard/src/main.tsx',
  'dashboard/vite.config.ts',
  // The build puts it in place of a library.
  'dashboard/src/ui/plain-scripts.ts',
]

export const bannedWords: Readonly<Record<string, string>> = {
  manager: 'name what it manages, or the verb',
  service: 'name the noun or the verb it stands for',
  repository: 'SQL lives in store.ts; name the rows',
  controller: 'name the verb',
  helper: 'name what it does',
  util: 'name what it does',
  utils: 'name what it does',
  common: 'name what it holds, in the lowest folder that needs it',
  impl: 'the interface and its one implementation are the same thing',
  handler: 'name the verb',
  processor: 'name the verb',
  data: 'name what the data is',
  info: 'name what it tells',
}

/** Names that come from elsewhere: an option of the embedded database, a setting, a path of the interface. */
export const allowedNames: readonly string[] = [
  'onRawData',
  'dataDir',
  ...['sdk-data', 'sdk-data-identifier', 'sdk-data-input'],
]

/** SHA-256 of lower-case words that must not appear anywhere, among them the name of a hosted product's maker. */
export const forbiddenWordHashes: readonly string[] = [
  '82c825401ec3b52968fbadc0527cb0003ac412770bc36af6fd0b80e885079368',
  '4ae78827618bafbbc0890b5b9f2922efe02350dd4adecbea8417141c4ded9d1f',
]

/** Tables that more than one room writes, and why. */
export const sharedTables: Readonly<Record<string, string>> = {}

/** Tables whose name is a parameter of a statement, or that only a migration fills. */
export const writersByHand: Readonly<Record<string, string>> = {
  permission_set: 'accounts/permissions',
  role: 'accounts/permissions',
  signal_lane: 'its migration alone',
}
