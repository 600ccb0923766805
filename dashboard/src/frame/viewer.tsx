import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import type { GetAdminSessionReply } from '../api/generated.ts'
import { clockQuery } from '../api/queries.ts'
import {
  formatAge,
  formatFullMoment,
  formatMoment,
  type ZoneChoice,
  zoneChoices,
  zoneName,
  zoneOf,
} from '../words/times.ts'
import { readChoice, storeChoice } from './choices.ts'

export type Workspace = GetAdminSessionReply['workspaces'][number]

/** Who looks at the page, where, and how times are shown. */
export type Viewer = {
  readonly session: GetAdminSessionReply
  readonly workspace: Workspace
  /** Whether the viewer has an ability in this workspace. It decides what is offered; the server decides what is done. */
  may(ability: string): boolean
  readonly zoneChoice: ZoneChoice
  chooseZone(choice: ZoneChoice): void
  readonly zone: string
  /** The short name of the zone, for the heads of columns. */
  readonly zoneLabel: string
  /** The business time of now. */
  now(): Date
  /** A moment as lists show it, beside the business time of now. */
  moment(iso: string): string
  /** A moment in all its readings, for a tooltip. */
  fullMoment(iso: string): string
}

const ViewerContext = createContext<Viewer | undefined>(undefined)

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext)
  if (!viewer) throw new Error('a page is outside the frame')
  return viewer
}

type ViewerProviderProps = { session: GetAdminSessionReply; workspace: Workspace; children: ReactNode }

export function ViewerProvider({ session, workspace, children }: ViewerProviderProps) {
  const [zoneChoice, setZoneChoice] = useState<ZoneChoice>(() => readChoice('zone', zoneChoices))
  const clock = useQuery(clockQuery).data
  const virtualNow = clock?.clock === 'virtual' ? clock.now : undefined
  const viewer = useMemo((): Viewer => {
    const abilities = new Set([...session.abilities, ...workspace.abilities])
    const zone = zoneOf(zoneChoice, workspace.time_zone)
    const now = () => (virtualNow === undefined ? new Date() : new Date(virtualNow))
    return {
      session,
      workspace,
      may: (ability) => abilities.has(ability),
      zoneChoice,
      chooseZone(choice) {
        storeChoice('zone', choice)
        setZoneChoice(choice)
      },
      now,
      ...momentsIn(zone, now),
    }
  }, [session, workspace, zoneChoice, virtualNow])
  return <ViewerContext value={viewer}>{children}</ViewerContext>
}

function momentsIn(zone: string, now: () => Date): Pick<Viewer, 'zone' | 'zoneLabel' | 'moment' | 'fullMoment'> {
  return {
    zone,
    zoneLabel: zoneName(zone, now()),
    moment: (iso) => formatMoment(iso, zone, now()),
    fullMoment: (iso) => `${formatFullMoment(iso, zone)}\n${new Date(iso).toISOString()}\n${formatAge(iso, now())}`,
  }
}

/** Shows the moments in it in another zone. */
export function InZone({ zone, children }: { zone: string; children: ReactNode }) {
  const viewer = useViewer()
  const inZone = useMemo(() => ({ ...viewer, ...momentsIn(zone, viewer.now) }), [viewer, zone])
  return <ViewerContext value={inZone}>{children}</ViewerContext>
}

/** A moment, with its other readings in a tooltip. `full` shows day and zone too. */
export function Moment({ at, full }: { at: string; full?: boolean }) {
  const { moment, fullMoment, zone } = useViewer()
  return (
    <time dateTime={at} title={fullMoment(at)}>
      {full ? formatFullMoment(at, zone) : moment(at)}
    </time>
  )
}
