/** What stands directly in `src`, from the process down: each row imports the rows below it. */
export const topFiles: readonly (readonly string[])[] = [
  ['main'],
  ['app'],
  ['start'],
  ['routes', 'jobs'],
  ['services'],
  ['admin-routes'],
  ['config-sections'],
  ['admin-schema'],
]

/**
 * The wings and their rooms. A wing imports the wings of later rows; wings of one row do not know each other. Inside a wing a room imports
 * the rooms that stand after it. Files of a room know each other.
 */
export const wings: readonly (readonly Wing[])[] = [
  [
    {
      wing: 'messaging',
      rooms: ['why', 'expansion', 'journeys', 'delivery', 'orders', 'feedback', 'flows', 'messages', 'mail', 'ledger'],
    },
  ],
  [
    { wing: 'audience', rooms: ['exports', 'segments', 'conditions'] },
    { wing: 'content', rooms: ['rendering', 'templates', 'blocks', 'texts', 'liquid', 'catalogs'] },
  ],
  [
    {
      wing: 'people',
      rooms: [
        ...['backup', 'devices', 'merge', 'aliases', 'export', 'intake', 'addresses', 'subscription'],
        ...['received', 'signals', 'history', 'profile', 'identity', 'values'],
      ],
    },
  ],
  [{ wing: 'accounts', rooms: ['scim', 'sign-in', 'accounts', 'sessions', 'permissions', 'keys'] }],
  [{ wing: 'workspace', rooms: ['clock', 'file', 'audit', 'settings', 'names'] }],
  [{ wing: 'base', rooms: ['http', 'work', 'call', 'fetch', 'db', ''] }],
]

export type Wing = { readonly wing: string; readonly rooms: readonly string[] }

/** Imports that still climb. */
export const climbing: readonly string[] = [
  'src/accounts/accounts/teams-config-section.ts -> src/accounts/sign-in/schema.ts',
  'src/accounts/permissions/config-sections.ts -> src/accounts/accounts/teams-config-section.ts',
  'src/accounts/permissions/config-sections.ts -> src/accounts/sign-in/schema.ts',
  'src/admin-schema.ts -> src/config-sections.ts',
  'src/audience/exports/pages.ts -> src/messaging/flows/graphs.ts',
  'src/messaging/journeys/open.ts -> src/messaging/expansion/due.ts',
  'src/messaging/journeys/open.ts -> src/messaging/expansion/plan-recurring.ts',
  'src/messaging/why/dryrun-schema.ts -> src/admin-schema.ts',
  'src/messaging/why/inbox-routes.ts -> src/admin-schema.ts',
  'src/people/addresses/consent.ts -> src/messaging/ledger/reasons.ts',
  'src/people/addresses/suppression-routes.ts -> src/admin-schema.ts',
  'src/people/backup/restore.ts -> src/messaging/flows/names-store.ts',
  'src/people/backup/whole-people.ts -> src/messaging/flows/names-store.ts',
  'src/people/export/export.ts -> src/messaging/flows/graphs.ts',
  'src/people/export/received.ts -> src/messaging/flows/flow.ts',
  'src/people/export/records.ts -> src/messaging/flows/find.ts',
  'src/people/export/records.ts -> src/messaging/flows/graphs.ts',
  'src/people/identity/store.ts -> src/people/profile/fold.ts',
  'src/people/intake/apply-changes.ts -> src/messaging/journeys/services.ts',
  'src/workspace/clock/move-clock.ts -> src/admin-schema.ts',
  'src/workspace/file/entries.ts -> src/config-sections.ts',
  'src/workspace/file/workspaces.ts -> src/config-sections.ts',
  'src/workspace/settings/cache.ts -> src/accounts/keys/key-store.ts',
  'src/workspace/settings/cache.ts -> src/accounts/keys/token-store.ts',
  'src/workspace/settings/schema.ts -> src/accounts/keys/allowed-ips.ts',
  'src/workspace/settings/selected.ts -> src/workspace/file/apply.ts',
]

/** Which top folders a file of a top folder may import from. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  src: ['src'],
  cli: ['cli', 'src'],
  scripts: ['scripts', 'src', 'test'],
  bench: ['bench', 'src', 'cli', 'test'],
  examples: ['examples'],
  test: ['test', 'src', 'cli', 'scripts', 'bench'],
}

export const fileLinesMax = 400
export const functionLinesMax = 70
export const columnsMax = 140

/** Files of src and cli that may say `catch`, each with its reason. Everywhere else an error rises to the edge. */
export const catchFiles: Readonly<Record<string, string>> = {
  'cli/at-desk.ts': 'a data directory in use means: ask the running server',
  'cli/commands.ts': 'the edge of the command line: a sentence and a status',
  'cli/source.ts': 'bytes that are no text become a Failure',
  'cli/values.ts': 'a line that is not JSON is told and left out',
  'src/messaging/expansion/expand.ts': 'a slot whose people cannot be found is told in its row',
  'src/messaging/flows/read-email.ts': 'a refusal of an e-mail object becomes a mistake with its path',
  'src/messaging/feedback/events.ts': 'what a provider tells that is not JSON is nothing',
  'src/messaging/feedback/sendgrid.ts': 'a key that is none, as set by somebody, signs nothing',
  'src/messaging/feedback/sns.ts': 'the runtime tells by an error that an answer is no certificate',
  'src/audience/exports/writer.ts': 'an export that cannot be written is told in its row',
  'src/messaging/mail/dkim-keys-config-section.ts': 'the runtime tells by an error that a text is no private key',
  'src/accounts/sign-in/oidc.ts': 'whatever goes wrong with an identity provider becomes a Failure',
  'src/main.ts': 'the edge of the process: a sentence and a status',
  'src/content/liquid/connection.ts': 'what was not fetched is an answer to a template',
  'src/content/liquid/engine.ts': 'a template that fails is an outcome of one person',
  'src/content/liquid/fetch-tag.ts': 'an answer that is not JSON is text',
  'src/content/rendering/rendering-thread.ts': 'what cannot travel to a thread is told to whoever sent it',
  'src/content/liquid/parse.ts': 'the engine tells a mistake by an error',
  'src/messaging/mail/html.ts': 'a body that is too much stops the parser by an error',
  'src/audience/conditions/regex.ts': 'a pattern that does not compile is told with its place',
  'src/people/identity/retry-departed.ts': 'who was merged away or deleted meanwhile is looked up again',
  'src/people/intake/intake.ts': 'each waiting request gets its own outcome; an unknown commit is looked up',
  'src/people/merge/sweep.ts': 'history that cannot follow does not hold up that of others',
  'src/people/merge/worker.ts': 'a batch that the database refuses is halved until the culprit stands alone',
  'src/workspace/settings/settings.ts': 'the language tells by an error whether a time zone exists',
  'src/base/db/folder-lock.ts': 'a taken name means that somebody else has the directory',
  'src/base/db/driver.ts': 'a failed transaction is rolled back',
  'src/base/db/engine-files.ts': 'called by the engine, which would swallow an error: a failed sync ends it',
  'src/base/db/engine.ts': 'a thread that does not come up is ended',
  'src/base/db/migrate.ts': 'two processes make the table of migrations at once',
  'src/base/db/open.ts': 'the lock is given back when opening fails',
  'src/base/db/pglite-worker.ts': 'the edge of the thread: the reason is told to the process',
  'src/base/db/pglite.ts': 'opening again is tried until it works',
  'src/base/db/postgres.ts': 'a server that is away becomes a Failure',
  'src/base/db/retry.ts': 'deadlocks and their like are tried again',
  'src/base/db/session.ts': 'a commit without an answer becomes OutcomeUnknown; a lost session cannot roll back',
  'src/base/db/template.ts': 'a template is a cache: without it a new database only takes longer',
  'src/base/db/upkeep.ts': 'upkeep that fails is logged and comes round again',
  'src/base/fetch/fetch.ts': 'whatever goes wrong on the way becomes a Refused',
  'src/base/http/answer.ts': 'the edge of a request: an error becomes an answer',
  'src/base/http/body.ts': 'JSON that does not parse becomes a Failure',
  'src/base/work/loop.ts': 'work that fails is logged and tried again',
  'src/base/work/periodic.ts': 'periodic work that fails is logged and comes round again',
}

/** Files that may ask the database for its time: the offset of the clock is taken there. */
export const databaseTimeFiles: readonly string[] = ['src/base/db/server-time.ts']

/** Files that may draw by chance: where the outcome decides nothing that anybody can see. */
export const chanceFiles: readonly string[] = []

/** Started by name rather than imported, beside tests and what package.json names. */
export const entryPoints: readonly string[] = ['src/main.ts', 'cli/main.ts', 'bench/main.ts']

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

/** Names that others have given: an option of the embedded database, a setting, a path of the interface. */
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
