import Type, { type Static } from 'typebox'
import { WorkspaceReply } from '../../workspace/file/schema.ts'
import { demoId } from './workspace-file.ts'

export const isBeingLoaded =
  'The demo is being loaded already. It takes a few seconds; then the workspace demo is there'
export const isThere = `There is a workspace ${demoId} already. It stays as it is: a demo is loaded once`

export const DemoReply = Type.Object({
  workspace: WorkspaceReply.properties.workspace,
  people: Type.Integer(),
  events: Type.Integer(),
  purchases: Type.Integer(),
  sentence: Type.String({ description: 'What was made, and where to look at it' }),
})
export type DemoReply = Static<typeof DemoReply>
