import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { postAdminAudienceSample } from '../../api/generated.ts'
import { asking } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import type { AudienceAnswers } from './audience-answers.ts'
import { SampleTable } from './sample-table.tsx'
import styles from './segment-editor.module.css'

/** Some of the people that the conditions select, when they are asked for. */
export function SampleCard({ answers: { asked, isValid, isStale, reason } }: { answers: AudienceAnswers }) {
  const { workspace } = useViewer()
  const [seed, setSeed] = useState<number>()
  const missing = useReason('people.read')
  const read = useQuery({
    ...asking(postAdminAudienceSample({ audience: asked, seed: seed ?? 0 }, { workspace: workspace.id })),
    enabled: seed !== undefined && isValid,
    placeholderData: keepPreviousData,
  })
  const shown = read.data?.people
  return (
    <Card title="Some of the people">
      {seed !== undefined && isValid && shown === undefined && <NoAnswer read={read} what="a sample" />}
      {shown?.length === 0 && <Note>Nobody is in it now.</Note>}
      {shown !== undefined && shown.length > 0 && (
        <SampleTable people={shown} dimmed={isStale || read.isPlaceholderData} />
      )}
      <div className={styles.buttons}>
        <Button disabledReason={missing ?? reason} onClick={() => setSeed((seed ?? -1) + 1)}>
          {seed === undefined ? 'Show ten' : 'Ten others'}
        </Button>
      </div>
    </Card>
  )
}
