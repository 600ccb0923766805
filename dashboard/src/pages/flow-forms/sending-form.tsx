import { useState } from 'react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { InlineSelect, InlineText } from '../../ui/inline-field.tsx'
import { ChoiceOf } from './fields.tsx'
import styles from './flow-forms.module.css'
import { useText } from './form-context.ts'

const shape = flowShapes.canvas
const classes = { marketing: 'Marketing', transactional: 'Transactional' }
const consents = {
  opted_in: 'Only who has opted in',
  subscribed: 'Everybody who has not unsubscribed',
  all: 'Everybody, also people who have unsubscribed',
}
const quiet = { hold: 'Wait until they end', skip: 'Do not send', ignore: 'Send all the same' }

/** The rules under which a flow sends: its class, consent, quiet hours and rate. */
export function SendingForm() {
  const { text } = useText(['class'])
  const isTransactional = text === 'transactional'
  return (
    <div className={styles.grid}>
      <ChoiceOf
        path={['class']}
        of={shape.class}
        label="Class"
        hint="Transactional mail, such as a receipt, is not held by frequency caps."
        labels={classes}
        otherwise={shape.class.preset}
      />
      <ChoiceOf
        path={['recipient_subscription_state']}
        of={shape.recipient_subscription_state}
        label="Who may get it"
        hint={
          isTransactional ? 'Everybody by default.' : 'A marketing mail never reaches people who have unsubscribed.'
        }
        labels={consents}
        otherwise={isTransactional ? 'all' : 'subscribed'}
      />
      <ChoiceOf
        path={['quiet_hours']}
        of={shape.quiet_hours}
        label="In quiet hours"
        hint="The quiet hours are a setting of the workspace."
        labels={quiet}
        otherwise={shape.quiet_hours.preset}
      />
      <RateField />
    </div>
  )
}

const units = ['second', 'min', 'hour', 'day'] as const

/** The most messages in a time, so that what they lead to can bear it. */
function RateField() {
  const { text, problem, set } = useText(['rate'])
  const [, digits = '', unit = ''] = /^([^/]*)\/(.*)$/.exec(text) ?? [text, text]
  const [chosen, choose] = useState('min')
  const shown = unit === '' ? chosen : unit
  const options = [...new Set([...units, shown])].map((each) => ({ value: each, label: wordsOf(each) }))
  return (
    <div className={styles.field} data-path="rate">
      <span className={styles.label}>Rate</span>
      <span className={styles.hint}>The most messages in a time. Empty: as fast as the workspace allows.</span>
      <span className={styles.pair}>
        <InlineText
          label="Messages"
          className={styles.count}
          inputMode="numeric"
          placeholder="no limit"
          value={digits}
          problem={problem}
          onChange={(next) => set(next.trim() === '' ? undefined : `${next.trim()}/${shown}`)}
        />
        <InlineSelect
          label="In a time of"
          value={shown}
          options={options}
          onChange={(next) => {
            choose(next)
            if (digits !== '') set(`${digits}/${next}`)
          }}
        />
      </span>
    </div>
  )
}

function wordsOf(unit: string): string {
  if (unit === 'hour') return 'an hour'
  return unit === 'min' ? 'a minute' : `a ${unit}`
}
