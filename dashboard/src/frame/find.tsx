import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Keyboard, Moon, Sun, Terminal, UserRound } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { getAdminPeopleSearch, getAdminPeopleSearchLimits } from '../api/generated.ts'
import { reading } from '../api/queries.ts'
import { paths } from '../paths.ts'
import { displayName } from '../words/people.ts'
import { chooseTheme } from './choices.ts'
import { type Choice, Palette } from './palette.tsx'
import type { ScreenEntry } from './screen.ts'
import { useViewer } from './viewer.tsx'

type FindProps = { screens: readonly ScreenEntry[]; onCurl: () => void; onKeys: () => void; onClose: () => void }

/** The palette with what this viewer may do, and the people whose identifier is typed. */
export function Find({ screens, onCurl, onKeys, onClose }: FindProps) {
  const [text, setText] = useState('')
  const { may, workspace } = useViewer()
  const navigate = useNavigate()
  const wanted = useDeferredValue(text.trim())
  const people = useQuery({
    ...reading(getAdminPeopleSearch({ workspace: workspace.id, q: wanted, limit: 5 })),
    enabled: may('people.read') && wanted !== '' && wanted.length <= getAdminPeopleSearchLimits.q.maxLength,
  })
  const actions: Choice[] = [
    ...screens
      .filter(({ ability }) => may(ability))
      .map(({ label, icon, path, letter }) => ({
        ...{ key: label, label, icon, hint: `g ${letter}` },
        act: () => void navigate({ to: path(workspace.id) }),
      })),
    { key: 'curl', label: 'Copy the request of this page as curl', hint: '.', icon: Terminal, act: onCurl },
    { key: 'keys', label: 'Show all keys', hint: '?', icon: Keyboard, act: onKeys },
    { key: 'dark', label: 'Dark theme', icon: Moon, act: () => chooseTheme('dark') },
    { key: 'light', label: 'Light theme', icon: Sun, act: () => chooseTheme('light') },
  ]
  const found = (people.data?.people ?? []).map((person) => ({
    key: person.id,
    label: displayName(person),
    hint: person.email ?? person.external_id ?? person.found_by.join(', '),
    icon: UserRound,
    act: () => void navigate({ to: paths.person(workspace.id, person.id) }),
  }))
  const fitting = actions.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <Palette
      text={text}
      onText={setText}
      choices={[...found, ...fitting]}
      none={people.isFetching ? 'Looking for people ...' : 'Nothing has this name, and nobody has this address or id.'}
      onClose={onClose}
    />
  )
}
