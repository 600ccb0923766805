import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type GetAdminPermissionsReply, getAdminPermissions, getAdminPermissionsTogether } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { SearchField } from '../../ui/field.tsx'
import { CheckField } from '../../ui/form.tsx'
import styles from './access.module.css'

type Permission = GetAdminPermissionsReply['workspace'][number]
export type Level = 'company' | 'workspace'

type PermissionMatrixProps = {
  level: Level
  chosen: readonly string[]
  onChoose: (chosen: readonly string[]) => void
  /** Nothing can be changed. */
  isLocked?: boolean
}

/** All permissions of a level by group, each with what it allows. */
export function PermissionMatrix({ level, chosen, onChoose, isLocked = false }: PermissionMatrixProps) {
  const read = useQuery({ ...reading(getAdminPermissions()), staleTime: Number.POSITIVE_INFINITY })
  const [text, setText] = useState('')
  const [isAll, setIsAll] = useState(false)
  if (read.data === undefined) return <NoAnswer read={read} what="permissions" />
  const known = read.data[level]
  const shown = known.filter((one) => matches(one, text) && (one.applies || isAll || chosen.includes(one.permission)))
  const foreign = chosen.filter((name) => known.every(({ permission }) => permission !== name))
  const set = (name: string, isChosen: boolean) =>
    onChoose(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name))
  const groups = [...Map.groupBy(shown, ({ group }) => group)]
  return (
    <div className={styles.matrix}>
      {level === 'workspace' && (
        <div className={styles.tools}>
          <SearchField
            label="Find a permission"
            placeholder="Find a permission, such as canvases"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <CheckField label="Also those without effect" checked={isAll} onChange={setIsAll} />
        </div>
      )}
      {groups.map(([group, list]) => (
        <fieldset key={group} className={styles.group} disabled={isLocked}>
          <legend>{group}</legend>
          {list.map(({ permission, allows, needs_view_pii }) => (
            <CheckField
              key={permission}
              label={<code>{permission}</code>}
              hint={needs_view_pii ? `${allows} Personal data takes view_pii too.` : allows}
              checked={chosen.includes(permission)}
              onChange={(isChosen) => set(permission, isChosen)}
            />
          ))}
        </fieldset>
      ))}
      {groups.length === 0 && (
        <p className={styles.soft}>No permission has "{text}" in its name or in what it allows.</p>
      )}
      {foreign.length > 0 && (
        <fieldset className={styles.group} disabled={isLocked}>
          <legend>Unknown to Easel</legend>
          {foreign.map((name) => (
            <CheckField
              key={name}
              label={<code>{name}</code>}
              hint="It allows nothing."
              checked
              onChange={(isChosen) => set(name, isChosen)}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}

function matches({ permission, allows }: Permission, text: string): boolean {
  const part = text.trim().toLowerCase()
  return permission.includes(part) || allows.toLowerCase().includes(part)
}

/** What permissions allow together, in the words of the server. */
export function Together({ level = 'workspace', names }: { level?: Level; names: readonly string[] }) {
  const permissions = [...new Set(names)].toSorted().join(',')
  const read = useQuery({
    ...reading(getAdminPermissionsTogether({ level, permissions })),
    enabled: permissions !== '',
    placeholderData: (before) => before,
  })
  const allows = permissions === '' ? [] : read.data?.allows
  if (allows === undefined) return read.isError ? <NoAnswer read={read} what="what they allow" /> : null
  return <Sentences list={allows} none="They allow nothing." />
}

export function Sentences({ list, none }: { list: readonly string[]; none: string }) {
  if (list.length === 0) return <p className={styles.soft}>{none}</p>
  return (
    <ul className={styles.sentences}>
      {list.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
