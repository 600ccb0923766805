import { useQuery } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import { sentenceIn } from '../api/errors.ts'
import { postAdminClock } from '../api/generated.ts'
import { clockQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { formatFullMoment } from '../words/times.ts'
import styles from './clock-bar.module.css'
import { useReason } from './permit.ts'
import { Refusal } from './refusal.tsx'
import { announce } from './toast.tsx'
import { useViewer } from './viewer.tsx'
import { useWrite } from './write.ts'

type ClockMove = { readonly advance: string } | { readonly now: string }

/** Business time while it is virtual. It stands still until it is moved; what falls due on the way is done. */
export function ClockBar() {
  const { zone } = useViewer()
  const clock = useQuery(clockQuery).data
  const reason = useReason('clock.move')
  const [isAsking, setIsAsking] = useState(false)
  const move = useWrite({
    request: (to: ClockMove) => postAdminClock(to),
    said: ({ now }) => `The clock stands at ${formatFullMoment(now, zone)}. What was due is done.`,
    onDone: () => setIsAsking(false),
  })
  if (clock?.clock !== 'virtual') return null
  const disabledReason = move.isPending ? 'The clock is moving.' : reason
  const advance = (by: string) =>
    move.mutate({ advance: by }, { onError: (error) => announce(`The clock was not moved: ${sentenceIn(error)}`) })
  return (
    <div className={styles.clock} role="note">
      <Clock size={16} aria-hidden />
      <span className={styles.text}>
        {move.isPending ? 'The clock is moving from ' : 'The clock is virtual and stands at '}
        <strong>{formatFullMoment(clock.now, zone)}</strong>
      </span>
      <Button disabledReason={disabledReason} onClick={() => advance('PT1H')}>
        + 1 hour
      </Button>
      <Button disabledReason={disabledReason} onClick={() => advance('P1D')}>
        + 1 day
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
