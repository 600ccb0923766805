import type { Problem, Tree } from './source.ts'

const listPath = 'src/people/merge/owned-tables.ts'

/** The tables whose rows belong to a person, as the migrations leave them: those with `bucket` and `profile_id`. */
export function tablesOfPeople(tree: Tree): Map<string, string> {
  const tables = new Map<string, string>()
  const migrations = tree.files.filter(({ path }) => /^migrations\/\d+_\w+\.sql$/.test(path))
  for (const { path, strings } of migrations.toSorted((a, b) => a.path.localeCompare(b.path))) {
    for (const [, name, body] of strings.matchAll(/\bcreate table (?:if not exists )?(\w+)\s*\(([^;]*)\)[^;]*;/gi)) {
      if (/^\s*bucket\s/m.test(body!) && /^\s*profile_id\s/m.test(body!)) tables.set(name!, path)
    }
    for (const [, name] of strings.matchAll(/\bdrop table (?:if exists )?(\w+)/gi)) tables.delete(name!)
  }
  return tables
}

/** Each table with rows of people has its rules for a merge and a deletion. */
export function checkOwned(tree: Tree): Problem[] {
  const tables = tablesOfPeople(tree)
  const missing = [...tables].filter(([name]) => !tree.ownedTables.includes(name))
  const stale = tree.ownedTables.filter((name) => !tables.has(name))
  return [
    ...missing.map(([name, path]) => ({
      path,
      message: `table ${name} holds something of a person: say in ${listPath} what merge and delete do to it`,
    })),
    ...stale.map((name) => ({
      path: listPath,
      message: `table ${name} has no bucket and profile_id in migrations: take it out`,
    })),
  ]
}
