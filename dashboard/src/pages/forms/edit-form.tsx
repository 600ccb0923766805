import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  deleteAdminSignUpFormsId,
  getAdminHeadsSubscriptionGroups,
  type PatchAdminSignUpFormsIdBody,
  type PostAdminSignUpFormsBody,
  patchAdminSignUpFormsId,
  postAdminSignUpForms,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChoiceField, TextArea, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { Form } from './form-words.tsx'

const ability = 'sign_up_forms.edit'
const nameCharactersMax = 255
const textCharactersMax = 1_000

/** The languages with built-in texts. */
const languages = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'German' },
  { value: 'fr', label: 'French' },
  { value: 'es', label: 'Spanish' },
] as const

/** The button that makes a form, and its dialog. */
export function NewForm() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="main" disabledReason={useReason(ability)} onClick={() => setIsOpen(true)}>
        New form
      </Button>
      {isOpen && <NewFormDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

function NewFormDialog({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string>()
  const [language, setLanguage] = useState('en')
  const read = useQuery(reading(getAdminHeadsSubscriptionGroups({ workspace: workspace.id })))
  const groups = (read.data?.subscription_groups ?? []).filter((each) => each.has_double_opt_in && !each.archived)
  const group = chosen ?? groups[0]?.id
  const make = useWrite({
    request: (body: PostAdminSignUpFormsBody) => postAdminSignUpForms(body, { workspace: workspace.id }),
    said: ({ sign_up_form }) => `The form "${sign_up_form.name}" is made.`,
    onDone: ({ sign_up_form }) => void navigate({ to: paths.form(workspace.id, sign_up_form.id) }),
  })
  return (
    <FormDialog
      title="New sign-up form"
      submit="Make the form"
      disabledReason={
        group === undefined
          ? 'Turn on double opt-in in a group first.'
          : name.trim() === ''
            ? 'Give the form a name first.'
            : undefined
      }
      isPending={make.isPending}
      refusal={make.isError && <Refusal error={make.error} />}
      onSubmit={() => make.mutate({ name: name.trim(), subscription_group_id: group!, language })}
      onClose={onClose}
    >
      <TextField label="Name" hint="Only you see it." value={name} maxLength={nameCharactersMax} onChange={setName} />
      <ChoiceField
        label="Group"
        hint="Groups with double opt-in."
        value={group ?? ''}
        options={groups.map(({ id, name: label }) => ({ value: id, label }))}
        onChange={setChosen}
      />
      <ChoiceField label="Language" value={language} options={languages} onChange={setLanguage} />
    </FormDialog>
  )
}

/** The buttons of a form: edit, pause or open again, delete. */
export function FormActions({ form }: { form: Form }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const reason = useReason(ability)
  const endReason = useReason('sign_up_forms.end')
  const [opened, setOpened] = useState<'edit' | 'delete'>()
  const patch = (state: 'active' | 'paused') => patchAdminSignUpFormsId(form.id, { state }, { workspace: workspace.id })
  const pause = useWrite({
    request: patch,
    said: (_reply, state) => `The form "${form.name}" is ${state === 'paused' ? 'paused' : 'active again'}.`,
    undo: (_reply, state) => patch(state === 'paused' ? 'active' : 'paused'),
  })
  const end = useWrite({
    request: (_: undefined) => deleteAdminSignUpFormsId(form.id, { workspace: workspace.id }),
    said: () => `The form "${form.name}" is deleted.`,
    onDone: () => void navigate({ to: paths.forms(workspace.id) }),
    ends: `/admin/sign_up_forms/${form.id}`,
  })
  return (
    <>
      <Button disabledReason={reason} onClick={() => setOpened('edit')}>
        Edit
      </Button>
      <Button
        disabledReason={reason ?? (pause.isPending ? 'The request is on its way.' : undefined)}
        onClick={() => pause.mutate(form.state === 'paused' ? 'active' : 'paused')}
      >
        {form.state === 'paused' ? 'Open again' : 'Pause'}
      </Button>
      <Button disabledReason={endReason} onClick={() => setOpened('delete')}>
        Delete
      </Button>
      {opened === 'edit' && <EditForm form={form} onClose={() => setOpened(undefined)} />}
      {opened === 'delete' && (
        <FormDialog
          title={`Delete "${form.name}"?`}
          submit="Delete"
          danger
          isPending={end.isPending}
          refusal={end.isError && <Refusal error={end.error} />}
          onSubmit={() => end.mutate(undefined)}
          onClose={() => setOpened(undefined)}
        >
          <p>Its page is gone then. People who have signed up can still confirm.</p>
        </FormDialog>
      )}
    </>
  )
}

const textFields = [
  ['title', 'Heading'],
  ['intro', 'Text above the field'],
  ['button', 'Button'],
  ['consent', 'Box to tick'],
  ['done_title', 'Heading afterwards'],
  ['done_text', 'Text afterwards'],
] as const

/** Texts that are empty are the built-in ones. */
function textsOf(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
}

function EditForm({ form, onClose }: { form: Form; onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState(form.name)
  const [texts, setTexts] = useState<Record<string, string>>({ ...form.texts })
  const [sites, setSites] = useState((form.embed_origins ?? []).join('\n'))
  const [isDirect, setIsDirect] = useState(form.direct_posts ?? false)
  const change = useWrite({
    request: (body: PatchAdminSignUpFormsIdBody) => patchAdminSignUpFormsId(form.id, body, { workspace: workspace.id }),
    said: () => `The form "${name.trim()}" is saved.`,
    onDone: onClose,
  })
  const origins = sites.split(/\s+/).filter((site) => site !== '')
  return (
    <FormDialog
      title={`Edit "${form.name}"`}
      submit="Save"
      disabledReason={name.trim() === '' ? 'Give the form a name first.' : undefined}
      isPending={change.isPending}
      refusal={change.isError && <Refusal error={change.error} />}
      onSubmit={() =>
        change.mutate({ name: name.trim(), texts: textsOf(texts), embed_origins: origins, direct_posts: isDirect })
      }
      onClose={onClose}
    >
      <TextField label="Name" value={name} maxLength={nameCharactersMax} onChange={setName} />
      {textFields.map(([member, label]) => (
        <TextField
          key={member}
          label={label}
          placeholder={member === 'consent' ? 'none' : 'built in'}
          value={texts[member] ?? ''}
          maxLength={textCharactersMax}
          onChange={(text) => setTexts({ ...texts, [member]: text })}
        />
      ))}
      <TextArea
        label="Sites that may show the page in a frame"
        hint="One on a line, such as https://www.example.com."
        mono
        rows={2}
        value={sites}
        onChange={setSites}
      />
      <CheckField
        label="Take the form of your site at once"
        hint="Without it, people who come from your site press a second button, which programs rarely do."
        checked={isDirect}
        onChange={setIsDirect}
      />
    </FormDialog>
  )
}
