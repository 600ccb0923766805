import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { getAdminApps, putAdminCanvasesIdDraft } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { drawingOf } from '../../canvas/edit/drawing.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { senderOf } from './canvas-edit-page.tsx'
import styles from './editor.module.css'
import { SmallPicture } from './small-picture.tsx'
import { emptyCanvas, starters } from './starters.ts'

/** The page on which a canvas is begun: from an example, or without any step. */
export function CanvasNewPage() {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const reason = useReason('canvases.edit')
  const query = { workspace: workspace.id }
  const apps = useQuery(reading(getAdminApps(query)))
  useFeed(getAdminApps(query))
  const sender = useMemo(() => {
    return { app_id: apps.data?.apps[0]?.id ?? '', from: senderOf(workspace.name) }
  }, [apps.data, workspace.name])
  const begin = useWrite({
    request: ({ id, definition }: { id: string; definition: Definition }) =>
      putAdminCanvasesIdDraft(id, { definition: { id, ...definition }, base_version: null }, query),
    onDone: (_reply, { id }) => void navigate({ to: paths.canvasEdit(workspace.id, id) }),
  })
  const waits = apps.isPending || begin.isPending ? 'One moment.' : undefined
  const use = (definition: Definition) => begin.mutate({ id: newId(), definition })
  return (
    <>
      <title>New canvas - Easel</title>
      <p>
        <Link to={paths.canvases(workspace.id)}>Canvases</Link>
      </p>
      <h1>New canvas</h1>
      <p className={styles.soft}>
        Begin from an example and change it, or without any step. Nothing runs before you publish.
      </p>
      {apps.data?.apps.length === 0 && (
        <p>This workspace has no app yet. A message names one, so add an app in the settings first.</p>
      )}
      {begin.isError && (
        <div role="alert">
          <Refusal error={begin.error} />
        </div>
      )}
      <div className={styles.starters}>
        {starters.map(({ id, name, description, definition }) => (
          <Card key={id} name={name} description={description} definition={definition(sender)}>
            <Button disabledReason={reason ?? waits} onClick={() => use(definition(sender))}>
              {`Begin with "${name}"`}
            </Button>
          </Card>
        ))}
        <Card
          name="Without any step"
          description="People enter when it is sent. Add steps one by one."
          definition={emptyCanvas}
        >
          <Button disabledReason={reason ?? waits} onClick={() => use(emptyCanvas)}>
            Begin without steps
          </Button>
        </Card>
      </div>
    </>
  )
}

type CardProps = { name: string; description: string; definition: Definition; children: React.ReactNode }

function Card({ name, description, definition, children }: CardProps) {
  const outline = useMemo(() => drawingOf(definition, { entry: '', steps: {} }), [definition])
  return (
    <section className={styles.starter} aria-label={name}>
      <h2>{name}</h2>
      <SmallPicture outline={outline} />
      <p>{description}</p>
      <div>{children}</div>
    </section>
  )
}

/** Returns an id that nothing else has. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
