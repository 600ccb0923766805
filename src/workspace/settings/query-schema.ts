import Type from 'typebox'

/** Which workspace is meant (`selected.ts`). */
export const workspace = Type.Optional(
  Type.String({ description: 'The id of a workspace; the default workspace when absent.' }),
)

/** What a list is asked for that comes page by page. */
export function paging(pageDefault: number, pageMax: number) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, default: pageDefault })),
    cursor: Type.Optional(Type.String({ description: 'What the page before answered as `cursor`' })),
  }
}
