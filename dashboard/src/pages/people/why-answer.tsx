import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type GetAdminWhyReply, getAdminSegmentsIdWhy, getAdminWhy } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { type Explained, Explanation } from '../../audience/explanation.tsx'
import { Failure } from '../../frame/failure.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { keyed } from '../../ui/keyed.ts'
import { Mark } from '../../ui/mark.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './why-panel.module.css'

type FlowAnswerProps = { person: string; kind: 'canvas' | 'campaign' | 'send'; id: string }

/** Why a person got messages of a canvas, campaign or send, or did not. */
export function FlowAnswer({ person, kind, id }: FlowAnswerProps) {
  const { workspace } = useViewer()
  const about = { canvas: { canvas_id: id }, campaign: { campaign_id: id }, send: { dispatch_id: id } }[kind]
  const read = useQuery(reading(getAdminWhy({ workspace: workspace.id, person, ...about })))
  if (read.isPending) return <LoadingRows what="the answer" />
  if (!read.data) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  return <Answer reply={read.data} />
}

function Answer({ reply }: { reply: GetAdminWhyReply }) {
  const { sentence, open, decisions, entries = [], never_entered = [], cursor } = reply
  const name = reply.canvas?.name ?? reply.campaign?.name
  // A refusal is a decision, which is told above.
  const begun = entries.filter(({ visit, ended }) => visit > 0 || ended === null)
  return (
    <>
      {name !== undefined && (
        <h3 className={styles.about} dir="auto">
          {name}
        </h3>
      )}
      <p className={styles.answer} dir="auto">
        {sentence}
      </p>
      <Part title="Waiting" of={open.length}>
        {keyed(open, ({ sentence: said, until }) => `${said} ${until}`).map(({ entry: each, key }) => (
          <Line key={key} at={each.until}>
            <Mark family="waiting">{each.sentence}</Mark>
          </Line>
        ))}
      </Part>
      <Part title="Decided" of={decisions.length}>
        {keyed(decisions, ({ at, sentence: said }) => `${at} ${said}`).map(({ entry: each, key }) => (
          <Line key={key} at={each.at}>
            <Mark family={each.family}>{each.sentence}</Mark>
            {each.rule !== null && <span className={styles.rule}>Rule: {each.rule}</span>}
            <Inputs of={each.inputs} />
          </Line>
        ))}
      </Part>
      <Part title="In the canvas or campaign" of={begun.length}>
        {begun.map((each) => (
          <Line key={each.entry_id} at={each.entered_at}>
            {each.sentence}
          </Line>
        ))}
      </Part>
      {never_entered.map(({ person, moments }) => (
        <Part key={person} title="When the person could have entered" of={moments.length}>
          {keyed(moments, ({ at, what }) => `${at} ${what}`).map(({ entry: { at, what, sentence: said }, key }) => (
            <Line key={key} at={at}>
              <span className={styles.rule}>{what === 'now' ? 'now' : `by ${what}`}</span> {said}
            </Line>
          ))}
        </Part>
      ))}
      {cursor !== undefined && <p>Older decisions are in the tab Messages.</p>}
    </>
  )
}

function Part({ title, of, children }: { title: string; of: number; children: ReactNode }) {
  if (of === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ol className={styles.trail}>{children}</ol>
    </section>
  )
}

function Line({ at, children }: { at: string | null; children: ReactNode }) {
  return (
    <li className={styles.line} dir="auto">
      {at !== null && (
        <span className={styles.at}>
          <Moment at={at} full />
        </span>
      )}
      <div>{children}</div>
    </li>
  )
}

function Inputs({ of }: { of: unknown }) {
  if (of === null || of === undefined) return null
  return (
    <details>
      <summary>What the rule read</summary>
      <pre className={styles.inputs}>{JSON.stringify(of, null, 1)}</pre>
    </details>
  )
}

/** Why a person is in a segment or not, condition by condition. */
export function SegmentAnswer({ person, id }: { person: string; id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminSegmentsIdWhy(id, { workspace: workspace.id, person })))
  if (read.isPending) return <LoadingRows what="the answer" />
  if (!read.data) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const { segment, sentence, because } = read.data
  return (
    <>
      <h3 className={styles.about} dir="auto">
        {segment.name}
      </h3>
      <p className={styles.answer} dir="auto">
        {sentence}
      </p>
      {because !== null && <Explanation of={because as Explained} />}
    </>
  )
}
