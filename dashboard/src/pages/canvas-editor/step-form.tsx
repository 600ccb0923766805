import { lazy, Suspense, useState } from 'react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { withStepId } from '../../canvas/edit/steps.ts'
import { type Definition, type PlacedStep, waysFrom } from '../../canvas/edit/ways.ts'
import { kindWords } from '../../canvas/words.ts'
import { problemAt, problemBeside } from '../../draft/mistakes.ts'
import { withValue } from '../../draft/path.ts'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { AtPath } from '../flow-forms/at-path.tsx'
import { AudienceForm } from '../flow-forms/audience-form.tsx'
import { ChannelField } from '../flow-forms/channel-field.tsx'
import { channelNamed, isPush } from '../flow-forms/channel-names.ts'
import { ClockField, DurationField, LineField, OtherMembers, WeekdaysField } from '../flow-forms/fields.tsx'
import { flowFields, shapeOfStep } from '../flow-forms/flow-fields.ts'
import { useFlowForm } from '../flow-forms/form-context.ts'
import { Problem } from '../flow-forms/rows.tsx'
import styles from './editor.module.css'
import { PathsForm } from './paths-form.tsx'
import { WayField } from './way-field.tsx'

// The forms of messages are the largest ones, and have the field for code.
const TextForm = lazy(async () => ({ default: (await import('../flow-forms/text-form.tsx')).TextForm }))
const PushForm = lazy(async () => ({ default: (await import('../flow-forms/push-form.tsx')).PushForm }))
const WebhookForm = lazy(async () => ({ default: (await import('../flow-forms/webhook-form.tsx')).WebhookForm }))
const WebhookFields = lazy(async () => ({ default: (await import('../flow-forms/webhook-form.tsx')).WebhookFields }))
const EmailForm = lazy(async () => ({ default: (await import('../flow-forms/email-form.tsx')).EmailForm }))

type StepFormProps = { placed: PlacedStep; sentence: string | undefined; onRenamed: (id: string) => void }

/** All that is known of a step, each member in its field. Members without one are shown as JSON. */
export function StepForm({ placed, sentence, onRenamed }: StepFormProps) {
  const { mistakes } = useFlowForm()
  const { step, path } = placed
  const shape = shapeOfStep(step.type)
  // Each member shows its own mistakes.
  const members = [...(shape === undefined ? [] : flowFields[shape]), ...Object.keys(step)]
  const own = problemBeside(
    mistakes,
    path,
    members.map((name) => [...path, name]),
  )
  return (
    <>
      {sentence !== undefined && sentence !== '' && (
        <p className={styles.soft} dir="auto">
          {sentence}
        </p>
      )}
      <Problem text={own} />
      <LineField path={[...path, 'name']} label="Name" placeholder={placed.id} of={flowShapes.message_step.name} />
      <KindFields placed={placed} />
      <Ways placed={placed} />
      <IdField key={placed.id} placed={placed} onRenamed={onRenamed} />
      <OtherMembers path={path} of={shape} />
    </>
  )
}

function KindFields({ placed }: { placed: PlacedStep }) {
  const { edits, mistakes } = useFlowForm()
  const { step, path } = placed
  const at = (name: string) => [...path, name]
  switch (step.type) {
    case 'message':
      return <MessageFields placed={placed} />
    case 'delay':
      return <DelayFields placed={placed} />
    case 'decision':
      return <AudienceForm path={path} label="Yes, when the person" isRequired />
    case 'action_paths':
      return (
        <>
          <DurationField path={at('within')} label="Waits at most" />
          <PathsForm placed={placed} />
        </>
      )
    case 'paths':
    case 'experiment':
      return <PathsForm placed={placed} />
    case 'update_user':
      return (
        <AtPath path={at('attributes')}>
          <JsonField
            label="Attributes"
            hint='As in a track request, such as {"plan": "gold", "visits": {"inc": 1}}.'
            rows={8}
            read={parseExactly}
            value={step.attributes ?? null}
            problem={problemAt(mistakes, at('attributes'))}
            onChange={(value) => edits.set(at('attributes'), value ?? undefined)}
          />
        </AtPath>
      )
    case 'webhook':
      return (
        <Suspense fallback={<LoadingRows what="the webhook" />}>
          <WebhookFields path={path} />
        </Suspense>
      )
    default:
      return <p>{`There is no form for a step of the type ${JSON.stringify(step.type)}. It stays as it is.`}</p>
  }
}

/** How a message is sent, and what it contains. */
function MessageFields({ placed: { step, path } }: { placed: PlacedStep }) {
  const { edits } = useFlowForm()
  const at = (name: string) => [...path, name]
  const channel = channelNamed(step.channel)
  return (
    <>
      <ChannelField
        value={channel}
        onChange={(next) => {
          edits.change((document) => withValue(withValue(document, at('channel'), next), at('message'), {}))
        }}
      />
      <Suspense fallback={<LoadingRows what="the message" />}>
        {channel === 'sms' && <TextForm path={at('message')} />}
        {isPush(channel) && <PushForm key={channel} channel={channel} path={at('message')} />}
        {channel === 'webhook' && <WebhookForm path={at('message')} />}
        {channel === 'email' && <EmailForm path={at('message')} />}
      </Suspense>
    </>
  )
}

function DelayFields({ placed: { step, path } }: { placed: PlacedStep }) {
  const { edits } = useFlowForm()
  const isUntil = (step.until ?? undefined) !== undefined && (step.for ?? undefined) === undefined
  const choose = (next: string) => {
    edits.change((document) => {
      const { for: _for, until: _until, weekdays: _days, ...rest } = step
      const steps = (document as Definition).steps as readonly unknown[]
      const now = next === 'until' ? { ...rest, until: '09:00' } : { ...rest, for: 'P1D' }
      return { ...(document as Definition), steps: steps.with(path[1] as number, now) }
    })
  }
  return (
    <>
      <ChoiceField label="Waits" value={isUntil ? 'until' : 'for'} options={waits} onChange={choose} />
      {isUntil ? (
        <>
          <ClockField path={[...path, 'until']} label="Until" hint="The time of day where the person is." />
          <WeekdaysField path={[...path, 'weekdays']} label="On these days; any day when none is chosen" />
        </>
      ) : (
        <DurationField path={[...path, 'for']} label="For" />
      )}
    </>
  )
}

const waits = [
  { value: 'for', label: 'For a length of time' },
  { value: 'until', label: 'Until a time of day' },
] as const

/** Where people go from the step. The paths of a list have their field there. */
function Ways({ placed }: { placed: PlacedStep }) {
  const ways = waysFrom(placed).filter(({ path }) => path[placed.path.length] !== 'paths')
  return ways.map((way) => <WayField key={way.at} way={way} label={labelOf(way.name)} />)
}

function labelOf(name: string): string {
  if (name === '') return 'Then'
  return name === 'otherwise' ? 'Otherwise, leads to' : `When ${name}, leads to`
}

/** The id of a step. It changes when the field is left, with all ways to it. */
function IdField({ placed: { id, path }, onRenamed }: Omit<StepFormProps, 'sentence'>) {
  const { edits, mistakes } = useFlowForm()
  const [typed, setTyped] = useState(id)
  const rename = () => {
    if (typed === id) return
    const next = withStepId(edits.document as Definition, id, typed)
    if (next === edits.document) return setTyped(id)
    edits.change(() => next)
    onRenamed(typed)
  }
  return (
    <AtPath path={[...path, 'id']}>
      <TextField
        label="Id"
        hint="By which counts and exports name the step. People who stand in it keep the old one."
        mono
        value={typed}
        problem={problemAt(mistakes, [...path, 'id'])}
        onChange={setTyped}
        onBlur={rename}
        onKeyDown={(event) => event.key === 'Enter' && rename()}
      />
    </AtPath>
  )
}

export function kindName(step: Readonly<Record<string, unknown>>): string {
  return typeof step.type === 'string' && Object.hasOwn(kindWords, step.type)
    ? kindWords[step.type as keyof typeof kindWords]
    : 'Step'
}
