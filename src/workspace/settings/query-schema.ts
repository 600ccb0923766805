import Type from 'typebox'

/** `?workspace=`, which `selected.ts` reads. */
export const workspace = Type.Optional(
  Type.String({ description: 'The id of a workspace; the default workspace when absent.' }),
)

export const WorkspaceQuery = Type.Object({ workspace })

export const PlanQuery = Type.Object({
  workspace,
  plan: Type.Optional(
    Type.Enum(['true', 'false'], { description: 'true: answer what would change and change nothing.' }),
  ),
})

/** The query of a list that is answered in pages. */
export function paging(pageDefault: number, pageMax: number) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, default: pageDefault })),
    cursor: Type.Optional(Type.String({ description: '`cursor` of the previous page' })),
  }
}
