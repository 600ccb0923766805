import { useQuery } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import { sentenceIn } from '../api/errors.ts'
import { type PostAdminClockReply, postAdminClock } from '../api/generated.ts'
import { clockQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { formatCount } from '../words/numbers.ts'
import { formatFullMoment } from '../words/times.ts'
import styles from './clock-bar.module.css'
import { useReason } from './permit.ts'
import { Refusal } from './refusal.tsx'
import { announce } from './toast.tsx'
import { useViewer } from './viewer.tsx'
import { useWrite } from './write.ts'

type ClockMove = { readonly advance: string } | { readonly now: string } | { readonly to: 'next' }

/** Business time while it is virtual. It stands still until it is moved; what falls due on the way is done. */
export function ClockBar() {
  const { zone } = useViewer()
  const clock = useQuery(clockQuery).data
  const reason = useReason('clock.move')
  const [isAsking, setIsAsking] = useState(false)
  const move = useWrite({
    request: (to: ClockMove) => postAdminClock(to),
    said: ({ now, done }) => `The clock stands at ${formatFullMoment(now, zone)}. ${doneSentence(done)}`,
    onDone: () => setIsAsking(false),
  })
  if (clock?.clock !== 'virtual') return null
  const disabledReason = move.isPending ? 'The clock is moving.' : reason
  const go = (to: ClockMove) =>
    move.mutate(to, { onError: (error) => announce(`The clock was not moved: ${sentenceIn(error)}`) })
  return (
    <div className={styles.clock} role="note">
      <Clock size={16} aria-hidden />
      <span className={styles.text}>
        {move.isPending ? 'The clock is moving from ' : 'The clock is virtual and stands at '}
        <strong>{formatFullMoment(clock.now, zone)}</strong>
        {clock.next && (
          <>
            . Next, {clock.next.at <= clock.now ? 'now' : formatFullMoment(clock.next.at, zone)}: {clock.next.what}
          </>
        )}
      </span>
      <Button disabledReason={disabledReason} onClick={() => go({ advance: 'PT1H' })}>
        + 1 hour
      </Button>
      <Button disabledReason={disabledReason} onClick={() => go({ advance: 'P1D' })}>
        + 1 day
      </Button>
      <Button
        disabledReason={disabledReason ?? (clock.next ? undefined : 'Nothing becomes due.')}
        onClick={() => go({ to: 'next' })}
      >
        To the next due thing
      </Button>
      <Button
        disabledReason={disabledReason}
        onClick={() => {
          move.reset()
          setIsAsking(true)
        }}
      >
        To ...
      </Button>
      {isAsking && (
        <MoveDialog
          now={clock.now}
          isPending={move.isPending}
          error={move.error}
          onMove={(now) => move.mutate({ now })}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  )
}

/** Says what was done while the clock moved. */
function doneSentence(done: PostAdminClockReply['done']): string {
  const { messages = {}, entries_moved = 0 } = done ?? {}
  const sent = messages.sent ?? 0
  const others = Object.values(messages).reduce((sum, count) => sum + count, 0) - sent
  const parts = [
    ...(sent > 0 ? [sent === 1 ? '1 message was sent' : `${formatCount(sent)} messages were sent`] : []),
    ...(others > 0 ? [`${formatCount(others)} ended unsent`] : []),
    ...(entries_moved > 0
      ? [`people went on ${entries_moved === 1 ? 'once' : `${formatCount(entries_moved)} times`}`]
      : []),
  ]
  return parts.length === 0 ? 'Nothing was due.' : `On the way: ${parts.join(', ')}.`
}

type MoveDialogProps = {
  now: string
  isPending: boolean
  error: unknown
  onMove: (now: string) => void
  onClose: () => void
}

function MoveDialog({ now, isPending, error, onMove, onClose }: MoveDialogProps) {
  const [text, setText] = useState(now)
  return (
    <FormDialog
      title="Move the clock"
      submit="Move"
      isPending={isPending}
      refusal={error ? <Refusal error={error} /> : undefined}
      onSubmit={() => onMove(text.trim())}
      onClose={onClose}
    >
      <p>Everything that is due until then is done, in its order. The clock never goes back.</p>
      <TextField
        label="Until"
        hint="Date and time with a zone, such as 2030-01-31T09:00:00Z"
        value={text}
        onChange={setText}
        mono
      />
    </FormDialog>
  )
}
