import type { ReactNode } from 'react'
import { channelWords } from './channel-words.ts'
import { MailView, type ShownMail } from './mail-view.tsx'
import { PhoneView } from './phone-view.tsx'
import { KeptPush } from './push-view.tsx'
import { RequestView } from './request-view.tsx'

type KeptViewProps = {
  channel: string
  kept: ShownMail & {
    readonly from: string | null
    readonly details?: Readonly<Record<string, unknown>> | undefined
    readonly rendered_anew?: boolean
  }
  source: ReactNode
  inputs?: ReactNode
}

/** A message that was kept, as its recipient gets it. */
export function KeptView({ channel, kept, source, inputs }: KeptViewProps) {
  switch (channelWords(channel).look) {
    case 'mail':
      return <MailView mail={kept} source={source} inputs={inputs} />
    case 'text':
      return <PhoneView text={kept.text ?? ''} from={kept.from} />
    case 'notification':
      return <KeptPush channel={channel} mail={kept} />
    case 'request':
      return <RequestView kept={kept} />
  }
}
