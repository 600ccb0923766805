import type { PageReply } from './page.ts'
import { visitorPage } from './visitor-page.ts'

/** The page for a browser that opens an address at which there is nothing. `root` is the relative link to the first page. */
export function unknownPage(root: string): PageReply {
  return visitorPage({
    status: 404,
    heading: 'There is nothing at this address',
    content: `<p>The link may be incomplete, or what it led to no longer exists.</p>
<p class="soft">Did it come in a message? Please open it from the message again.</p>
<div class="act"><a href="./${root}">To the first page</a></div>`,
  })
}
