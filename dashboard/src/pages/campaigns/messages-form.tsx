import { Copy, X } from 'lucide-react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { mistakesWithin } from '../../draft/mistakes.ts'
import { channelWords } from '../../frame/channel-words.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { ChannelField } from '../flow-forms/channel-field.tsx'
import { type ChannelName, isPush } from '../flow-forms/channel-names.ts'
import { ControlGroupForm } from '../flow-forms/control-group-form.tsx'
import { EmailForm } from '../flow-forms/email-form.tsx'
import { LineField, NumberField, OtherMembers } from '../flow-forms/fields.tsx'
import { useField, useFlowForm } from '../flow-forms/form-context.ts'
import { listAt } from '../flow-forms/members.ts'
import { PushForm } from '../flow-forms/push-form.tsx'
import { Problem } from '../flow-forms/rows.tsx'
import { ShareTools } from '../flow-forms/share-tools.tsx'
import { TextForm } from '../flow-forms/text-form.tsx'
import { WebhookForm } from '../flow-forms/webhook-form.tsx'
import styles from './campaigns.module.css'
import {
  channelOf,
  messagesMax,
  nameOfMessage,
  messagesPath as path,
  titleOf,
  withChannel,
  withCopy,
  withoutMessage,
} from './messages.ts'

/** What the list shows for a message that is still empty. */
const untitled: Readonly<Record<ChannelName, string>> = {
  email: 'No subject yet',
  sms: 'No text yet',
  web_push: 'No text yet',
  apple_push: 'No text yet',
  android_push: 'No text yet',
  webhook: 'No URL yet',
}

type MessagesFormProps = { wanted: number; onOpen: (message: number) => void }

/** The messages of a campaign side by side, with their shares and the control group. One of them is open below. */
export function MessagesForm({ wanted, onOpen: open }: MessagesFormProps) {
  const { edits } = useFlowForm()
  const messages = listAt(edits.document, path)
  const at = Math.min(wanted, messages.length - 1)
  const numbered = messages.map((message, i) => ({ message, i }))
  const channel = channelOf(messages[at])
  const isFull = messages.length >= messagesMax ? `A campaign has at most ${messagesMax} variants.` : undefined
  const add = (from: number) => {
    edits.change((document) => withCopy(document, from, crypto.randomUUID()))
    open(messages.length)
  }
  return (
    <>
      <div className={styles.variants}>
        {numbered.map(({ message, i }) => (
          <VariantCard key={i} message={message} i={i} isOpen={i === at} onOpen={() => open(i)}>
            <IconButton label={`Copy variant ${i + 1}`} disabledReason={isFull} onClick={() => add(i)}>
              <Copy size={16} aria-hidden />
            </IconButton>
            <IconButton
              label={`Remove variant ${i + 1}`}
              disabledReason={messages.length < 2 ? 'A campaign has at least one variant.' : undefined}
              onClick={() => edits.change((document) => withoutMessage(document, i))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </VariantCard>
        ))}
        <section className={styles.control} aria-label="Control group">
          <ControlGroupForm />
        </section>
      </div>
      <div className={styles.shares}>
        <ShareTools list={path} />
        <Button disabledReason={isFull} onClick={() => add(at)}>
          Add a variant
        </Button>
      </div>
      {messages.length > 0 && (
        <section className={styles.open} aria-label={`${channelWords(channel).title} of variant ${at + 1}`} key={at}>
          <h3 dir="auto">
            {channelWords(channel).title} of {nameOfMessage(messages[at], at)}
          </h3>
          <ChannelField
            value={channel}
            onChange={(next) => edits.change((document) => withChannel(document, at, next))}
          />
          {channel === 'sms' && <TextForm path={[...path, at, 'sms']} />}
          {isPush(channel) && <PushForm key={channel} channel={channel} path={[...path, at, channel]} />}
          {channel === 'webhook' && <WebhookForm path={[...path, at, 'webhook']} />}
          {channel === 'email' && <EmailForm path={[...path, at, 'email']} />}
          <OtherMembers path={[...path, at]} of="campaign_message" />
        </section>
      )}
    </>
  )
}

type VariantCardProps = { message: unknown; i: number; isOpen: boolean; onOpen: () => void; children: React.ReactNode }

function VariantCard({ message, i, isOpen, onOpen, children }: VariantCardProps) {
  const { mistakes } = useFlowForm()
  const at = [...path, i]
  const { problemBeside } = useField(at)
  const channel = channelOf(message)
  const inContent = mistakesWithin(mistakes, [...at, channel]).length
  const beside = problemBeside(['name', 'percent', ...Object.keys(untitled)].map((member) => [...at, member]))
  const title = titleOf(message)
  const { one } = channelWords(channel)
  return (
    <section className={styles.variant} aria-label={`Variant ${i + 1}`} data-open={isOpen || undefined}>
      <LineField
        path={[...at, 'name']}
        label="Name"
        placeholder={`Variant ${i + 1}`}
        of={flowShapes.campaign_message.name}
      />
      <NumberField path={[...at, 'percent']} label="Percent" of={flowShapes.campaign_message.percent} />
      <p className={styles.subject} dir="auto">
        {title === '' ? untitled[channel] : title}
      </p>
      {inContent > 0 && (
        <Mark family="failed">
          {inContent === 1 ? '1 mistake' : `${inContent} mistakes`} in the {one}
        </Mark>
      )}
      <Problem text={beside} />
      <div className={styles.buttons}>
        <Button aria-pressed={isOpen} onClick={onOpen}>
          {isOpen ? `Its ${one} is open below` : `Open its ${one}`}
        </Button>
        {children}
      </div>
    </section>
  )
}
