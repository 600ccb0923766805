import type { GetAdminAuditReply } from '../../api/generated.ts'
import type { Mistake } from '../../draft/mistakes.ts'
import { Moment } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { SchemaInput } from './schema-input.tsx'
import { type Setting, valueWords } from './setting-words.ts'
import styles from './settings.module.css'

export type Change = GetAdminAuditReply['audit'][number]

type SettingFieldProps = {
  setting: Setting
  /** Undefined: the default is in effect. */
  value: unknown
  stored: unknown
  isChanged: boolean
  /** Somebody else has changed it since the reader began to. */
  changedMeanwhile: boolean
  latest: Change | undefined
  mistakes: readonly Mistake[]
  onChange: (value: unknown) => void
}

/** A setting with what it does, its default, its limits and who changed it last. */
export function SettingField(props: SettingFieldProps) {
  const { setting, value, stored, isChanged, changedMeanwhile, latest, mistakes, onChange } = props
  const { name, schema, label, meaning } = setting
  const isSet = value !== undefined
  return (
    <div className={`${styles.setting} ${isChanged ? styles.changed : ''}`} data-setting={name}>
      <SchemaInput
        schema={schema}
        label={label}
        hint={meaning}
        value={value ?? schema.default}
        onChange={(next) => onChange(isDefault(next, schema.default) ? undefined : next)}
        path={['settings', name]}
        mistakes={mistakes}
      />
      <p className={styles.facts}>
        <span>Default: {valueWords(schema.default)}.</span>{' '}
        {schema.type !== 'boolean' && <span>Accepted: {schema.description}.</span>}{' '}
        {latest && (
          <span>
            Changed by {latest.actor.name}, <Moment at={latest.at} />.
          </span>
        )}{' '}
        <code>{name}</code>
        {isSet && (
          <Button look="quiet" onClick={() => onChange(undefined)} aria-label={`Back to the default of ${label}`}>
            Back to the default
          </Button>
        )}
      </p>
      {changedMeanwhile && (
        <p className={styles.problem} role="alert">
          {latest ? `${latest.actor.name} changed it` : 'Somebody changed it'} meanwhile to: {valueWords(stored)}.
          Saving replaces that by your value.
        </p>
      )}
    </div>
  )
}

/** Whether a value is the default: an empty list or object is the same as none. */
function isDefault(value: unknown, preset: unknown): boolean {
  if (value === undefined) return true
  return JSON.stringify(value) === JSON.stringify(preset)
}
