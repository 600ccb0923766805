import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, root } from '../../api/call.ts'
import { getAdminMedia, type PostAdminMediaReply, postAdminMedia } from '../../api/generated.ts'
import { Failure } from '../../frame/failure.tsx'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Note } from '../../ui/facts.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './texts.module.css'

type File = PostAdminMediaReply['file']

/** A button that inserts a picture of the media library, or a new one. */
export function InsertImage({ insert }: { insert: (text: string) => void }) {
  const [isOpen, setIsOpen] = useState(false)
  const choose = ({ url, name }: File) => {
    setIsOpen(false)
    insert(`<img src="${url}" alt="${name.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`)
  }
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Image</Button>
      {isOpen && <Images onChoose={choose} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function Images({ onChoose, onClose }: { onChoose: (file: File) => void; onClose: () => void }) {
  const { workspace } = useViewer()
  const query = (cursor?: string) => getAdminMedia({ workspace: workspace.id, ...(cursor !== undefined && { cursor }) })
  const read = useInfiniteQuery({
    queryKey: [query().path],
    queryFn: ({ signal, pageParam }) => call(query(pageParam), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  })
  const files = (read.data?.pages ?? []).flatMap(({ media }) => media).filter(({ ext }) => ext !== 'pdf')
  return (
    <Dialog label="Insert an image" onClose={onClose}>
      <div className={styles.dialog}>
        <h2>Insert an image</h2>
        <Upload onDone={onChoose} />
        {read.isPending && <LoadingRows what="images" />}
        {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data && files.length === 0 && <Note>The media library has no images yet.</Note>}
        <ul className={styles.images}>
          {files.map((file) => (
            <li key={file.id}>
              <Button look="quiet" onClick={() => onChoose(file)}>
                <img src={`${root}${file.path.slice(1)}`} alt="" loading="lazy" />
                <span dir="auto">{file.name}</span>
              </Button>
            </li>
          ))}
        </ul>
        {read.hasNextPage && <Button onClick={() => void read.fetchNextPage()}>More</Button>}
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  )
}

function Upload({ onDone }: { onDone: (file: File) => void }) {
  const { workspace } = useViewer()
  const reason = useReason('email_templates.edit')
  const store = useWrite({
    request: (body: { name: string; asset_file: string }) => postAdminMedia(body, { workspace: workspace.id }),
    said: () => 'The image is in the media library.',
    onDone: ({ file }) => onDone(file),
  })
  if (reason !== undefined) return <Note>{reason}</Note>
  return (
    <>
      <label>
        Upload one{' '}
        <input
          type="file"
          accept="image/*"
          disabled={store.isPending}
          onChange={async ({ target: { files } }) => {
            const file = files?.[0]
            if (file) store.mutate({ name: file.name, asset_file: await base64Of(file) })
          }}
        />
      </label>
      {store.isError && (
        <div className={styles.refusal} role="alert">
          <Refusal error={store.error} />
        </div>
      )}
    </>
  )
}

async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  // The arguments of a call are limited.
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(text)
}
