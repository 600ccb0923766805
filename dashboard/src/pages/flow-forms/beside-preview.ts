import type { PostAdminPreviewReply } from '../../api/generated.ts'

/** Returns what the check found in a text; undefined when the preview shows it already, at its place in the text. Pure. */
export function besidePreview(
  found: string | undefined,
  text: string,
  mistakes: PostAdminPreviewReply['mistakes'],
): string | undefined {
  const isShown = mistakes.some((each) => each.text === text && each.line !== null && found?.includes(each.message))
  return isShown ? undefined : found
}
