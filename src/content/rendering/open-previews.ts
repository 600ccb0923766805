import { Failure } from '../../base/errors.ts'
import { OpenRenderings } from './open-renderings.ts'

/** Previews of one workspace that are rendered at the same time. */
export const previewsMax = 4

/** Counts the previews that are being rendered. Throws 429 while a workspace has too many. */
export function openPreviews(): OpenRenderings {
  const message = `At most ${previewsMax} previews of a workspace may be rendered at a time`
  return new OpenRenderings(previewsMax, () => new Failure('rateLimited', message, { retryAfterS: 1 }))
}
