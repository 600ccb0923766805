import type { ReactNode } from 'react'
import { MailView, type ShownMail } from './mail-view.tsx'
import { PhoneView } from './phone-view.tsx'
import { isPushChannel, KeptPush } from './push-view.tsx'
import { RequestView } from './request-view.tsx'

type KeptViewProps = {
  channel: string
  kept: ShownMail & { readonly from: string | null; readonly details?: Readonly<Record<string, unknown>> | undefined }
  source: ReactNode
  inputs?: ReactNode
}

/** A message that was kept, as its recipient gets it. */
export function KeptView({ channel, kept, source, inputs }: KeptViewProps) {
  if (channel === 'sms') return <PhoneView text={kept.text ?? ''} from={kept.from} />
  if (isPushChannel(channel)) return <KeptPush channel={channel} mail={kept} />
  if (channel === 'webhook') return <RequestView kept={kept} />
  return <MailView mail={kept} source={source} inputs={inputs} />
}
