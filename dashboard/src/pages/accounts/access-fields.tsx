import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAdminPermissionSets, getAdminRoles, getAdminTeams } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/facts.tsx'
import { CheckField } from '../../ui/form.tsx'
import access from '../access/access.module.css'
import { PermissionMatrix, Together } from '../access/permission-matrix.tsx'
import styles from './accounts.module.css'
import { belongsTo, type GivenAccess, givenIn, withoutWorkspace, withRole, withWorkspace } from './given-access.ts'

type AccessFieldsProps = { given: GivenAccess; onChange: (given: GivenAccess) => void }

/** Everything that an account can be given: for the company, and in each workspace. */
export function AccessFields({ given, onChange }: AccessFieldsProps) {
  const { session } = useViewer()
  const isAdministrator = given.companyPermissions.includes('admin')
  return (
    <div className={access.stack}>
      <Card title="For the company">
        <PermissionMatrix
          level="company"
          chosen={given.companyPermissions}
          onChoose={(companyPermissions) => onChange({ ...given, companyPermissions })}
        />
      </Card>
      {isAdministrator && (
        <p className={access.soft}>An administrator of the company may do everything in every workspace already.</p>
      )}
      {session.workspaces.map(({ id, name }) => (
        <WorkspaceFields key={id} id={id} name={name} given={given} onChange={onChange} />
      ))}
    </div>
  )
}

type WorkspaceFieldsProps = AccessFieldsProps & { id: string; name: string }

function WorkspaceFields({ id, name, given, onChange }: WorkspaceFieldsProps) {
  const [isOpen, setIsOpen] = useState(() => belongsTo(given, id))
  return (
    <Card title={`In ${name}`}>
      {isOpen ? (
        <OpenWorkspace id={id} name={name} given={given} onChange={onChange} />
      ) : (
        <div className={`${access.body} ${access.row}`}>
          <span className={access.soft}>Nothing of its own there.</span>
          <Button onClick={() => setIsOpen(true)}>Give something in {name}</Button>
        </div>
      )}
    </Card>
  )
}

function OpenWorkspace({ id, name, given, onChange }: WorkspaceFieldsProps) {
  const place = { workspace: id }
  const roles = useQuery(reading(getAdminRoles(place)))
  const sets = useQuery(reading(getAdminPermissionSets(place)))
  const teams = useQuery(reading(getAdminTeams(place)))
  const failed = [roles, sets, teams].find(({ data }) => data === undefined)
  if (!roles.data || !sets.data || !teams.data) return <NoAnswer read={failed ?? roles} what="what can be given" />
  const own = givenIn(given, id)
  const change = (some: Partial<typeof own>) => onChange(withWorkspace(given, { ...own, ...some }))
  const heldRoles = roles.data.roles.filter((role) => given.roles.some(({ roleId }) => roleId === role.id))
  const heldSets = sets.data.permission_sets.filter((set) =>
    own.appGroupPermissionSets.some(({ appGroupPermissionSetId }) => appGroupPermissionSetId === set.id),
  )
  const all = [...own.appGroupPermissions, ...[...heldRoles, ...heldSets].flatMap(({ permissions }) => permissions)]
  return (
    <div className={styles.workspace}>
      <section aria-label={`What it may do in ${name}`} className={styles.together}>
        <h3>What it may do in {name}</h3>
        <Together names={all} />
      </section>
      <Choices
        legend="Roles"
        none="There are no roles in this workspace."
        entries={roles.data.roles}
        held={heldRoles.map((role) => role.id)}
        onHold={(roleId, isHeld) => onChange(withRole(given, roleId, isHeld))}
      />
      <Choices
        legend="Permission sets"
        none="There are no permission sets in this workspace."
        entries={sets.data.permission_sets}
        held={heldSets.map((set) => set.id)}
        onHold={(appGroupPermissionSetId, isHeld) => {
          const others = own.appGroupPermissionSets.filter(
            (each) => each.appGroupPermissionSetId !== appGroupPermissionSetId,
          )
          change({ appGroupPermissionSets: isHeld ? [...others, { appGroupPermissionSetId }] : others })
        }}
      />
      <Choices
        legend="Teams"
        none="There are no teams in this workspace."
        entries={teams.data.teams}
        held={own.team.map(({ teamId }) => teamId)}
        onHold={(teamId, isHeld) => {
          const others = own.team.filter((each) => each.teamId !== teamId)
          change({ team: isHeld ? [...others, { teamId, teamPermissions: ['basic_access'] }] : others })
        }}
      />
      <details className={styles.single} open={own.appGroupPermissions.length > 0}>
        <summary>Single permissions ({own.appGroupPermissions.length})</summary>
        <PermissionMatrix
          level="workspace"
          chosen={own.appGroupPermissions}
          onChoose={(appGroupPermissions) => change({ appGroupPermissions })}
        />
      </details>
      {belongsTo(given, id) && (
        <div>
          <Button onClick={() => onChange(withoutWorkspace(given, id))}>Take everything but the roles in {name}</Button>
        </div>
      )}
    </div>
  )
}

type Entry = { readonly id: string; readonly name: string; readonly permissions?: readonly string[] }

type ChoicesProps = {
  legend: string
  none: string
  entries: readonly Entry[]
  held: readonly string[]
  onHold: (id: string, isHeld: boolean) => void
}

/** Named things that an account has or has not. */
function Choices({ legend, none, entries, held, onHold }: ChoicesProps) {
  return (
    <fieldset className={access.group}>
      <legend>{legend}</legend>
      {entries.length === 0 && <span className={access.soft}>{none}</span>}
      {entries.map(({ id, name, permissions }) => (
        <CheckField
          key={id}
          label={<span dir="auto">{name}</span>}
          hint={permissions === undefined ? undefined : permissions.join(', ') || 'no permission yet'}
          checked={held.includes(id)}
          onChange={(isHeld) => onHold(id, isHeld)}
        />
      ))}
    </fieldset>
  )
}
