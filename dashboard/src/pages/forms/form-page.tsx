import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  getAdminHeadsSubscriptionGroups,
  getAdminSignUpForms,
  getAdminSignUpFormsIdEmbed,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { FormActions } from './edit-form.tsx'
import { type Form, FormState, sentenceOf } from './form-words.tsx'
import styles from './forms.module.css'

/** One sign-up form: its page, and what puts it on another page. */
export function FormPage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      list={{ title: 'Sign-up forms', one: 'sign-up form', path: paths.forms(workspace.id) }}
      operation={getAdminSignUpForms({ workspace: workspace.id })}
      headsOf={({ sign_up_forms }) => sign_up_forms}
      sentence={sentenceOf}
      actions={(form) => <FormActions form={form} />}
    >
      {(form) => (
        <>
          <About form={form} />
          <Embed id={form.id} />
        </>
      )}
    </ThingPage>
  )
}

function About({ form }: { form: Form }) {
  const { workspace } = useViewer()
  const groups = useQuery(reading(getAdminHeadsSubscriptionGroups({ workspace: workspace.id })))
  const { subscription_group_id: id, language = 'en', min_seconds = 2, hourly_max = 500, redirect_url } = form
  const name = groups.data?.subscription_groups.find((group) => group.id === id)?.name ?? id
  return (
    <Card title="What it is">
      <Facts
        facts={[
          { name: 'Group', value: <Link to={paths.group(workspace.id, id)}>{name}</Link> },
          { name: 'State', value: <FormState form={form} /> },
          { name: 'Language', value: language },
          { name: 'Time to fill in', value: `${min_seconds} s at least` },
          { name: 'Sign-ups in an hour', value: `${hourly_max} at most` },
          { name: 'Afterwards', value: redirect_url ?? 'a page that asks to look into the mailbox' },
        ]}
      />
    </Card>
  )
}

function Embed({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminSignUpFormsIdEmbed(id, { workspace: workspace.id })))
  if (read.data === undefined) {
    return (
      <Card title="Put it on your site">
        <NoAnswer read={read} what="the address" />
      </Card>
    )
  }
  const { url, snippet, iframe } = read.data
  return (
    <Card title="Put it on your site">
      <div className={styles.part}>
        <a href={url} target="_blank" rel="noreferrer" className={buttonClass()}>
          Look at the page
        </a>
        <CopyButton text={url} label="Copy the link of the page">
          Copy the link
        </CopyButton>
      </div>
      <div className={styles.part}>
        <CopyButton text={snippet} label="Copy the HTML of the form">
          Copy the form
        </CopyButton>
      </div>
      <CodeBlock label="HTML of the form">{snippet}</CodeBlock>
      {iframe === null ? (
        <Note>No site may show the page in a frame. Add the addresses of your sites to the form to allow it.</Note>
      ) : (
        <>
          <div className={styles.part}>
            <CopyButton text={iframe} label="Copy the HTML of the frame">
              Copy the frame
            </CopyButton>
          </div>
          <CodeBlock label="HTML of the frame">{iframe}</CodeBlock>
        </>
      )}
    </Card>
  )
}
