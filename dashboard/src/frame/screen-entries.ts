import {
  BadgeCheck,
  Ban,
  Blocks,
  FileClock,
  Gauge,
  Inbox,
  KeyRound,
  LayoutTemplate,
  ListFilter,
  ListTodo,
  Mail,
  Megaphone,
  MonitorSmartphone,
  Newspaper,
  PlugZap,
  ScrollText,
  Send,
  Settings2,
  Table2,
  UserPlus,
  UserRoundCog,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react'
import { paths } from '../paths.ts'
import type { ScreenEntry } from './screen.ts'

export const overview: ScreenEntry = {
  label: 'Overview',
  group: '',
  icon: Gauge,
  path: (workspace) => paths.overview(workspace),
  ability: 'usage.read',
  letter: 'o',
}

export const people: ScreenEntry = {
  label: 'People',
  group: 'Who',
  icon: Users,
  path: paths.people,
  ability: 'people.read',
  letter: 'p',
}

export const segments: ScreenEntry = {
  label: 'Segments',
  group: 'Who',
  icon: ListFilter,
  path: paths.segments,
  ability: 'segments.read',
  letter: 'e',
}

export const groups: ScreenEntry = {
  label: 'Groups',
  group: 'Who',
  icon: Newspaper,
  path: paths.groups,
  ability: 'subscription_groups.read',
  letter: 'r',
}

export const forms: ScreenEntry = {
  label: 'Sign-up forms',
  group: 'Who',
  icon: UserPlus,
  path: paths.forms,
  ability: 'sign_up_forms.read',
  letter: 'v',
}

export const canvases: ScreenEntry = {
  label: 'Canvases',
  group: 'Flows',
  icon: Workflow,
  path: paths.canvases,
  ability: 'canvases.read',
  letter: 'c',
}

export const campaigns: ScreenEntry = {
  label: 'Campaigns',
  group: 'Flows',
  icon: Megaphone,
  path: paths.campaigns,
  ability: 'campaigns.read',
  letter: 'n',
}

export const templates: ScreenEntry = {
  label: 'Templates',
  group: 'Content',
  icon: LayoutTemplate,
  path: paths.templates,
  ability: 'email_templates.read',
  letter: 't',
}

export const blocks: ScreenEntry = {
  label: 'Blocks',
  group: 'Content',
  icon: Blocks,
  path: paths.blocks,
  ability: 'content_blocks.read',
  letter: 'b',
}

export const catalogs: ScreenEntry = {
  label: 'Catalogs',
  group: 'Content',
  icon: Table2,
  path: paths.catalogs,
  ability: 'catalogs.read',
  letter: 'l',
}

export const apiLog: ScreenEntry = {
  label: 'API log',
  group: 'Machine',
  icon: ScrollText,
  path: (workspace) => paths.apiLog(workspace),
  ability: 'requests.read',
  letter: 'a',
}

export const work: ScreenEntry = {
  label: 'Work',
  group: 'Machine',
  icon: ListTodo,
  path: (workspace) => paths.work(workspace),
  ability: 'work.read',
  letter: 'w',
}

export const keys: ScreenEntry = {
  label: 'Keys',
  group: 'Machine',
  icon: KeyRound,
  path: paths.keys,
  ability: 'api_keys.read',
  letter: 'k',
}

export const webhooks: ScreenEntry = {
  label: 'Webhooks',
  group: 'Machine',
  icon: Webhook,
  path: paths.webhooks,
  ability: 'webhooks.read',
  letter: 'v',
}

export const sends: ScreenEntry = {
  label: 'Sends',
  group: 'Out',
  icon: Send,
  path: paths.sends,
  ability: 'dispatches.read',
  letter: 's',
}

export const messages: ScreenEntry = {
  label: 'Messages',
  group: 'Out',
  icon: Mail,
  path: (workspace) => paths.messages(workspace),
  ability: 'messages.read',
  letter: 'm',
}

export const inbox: ScreenEntry = {
  label: 'Inbox',
  group: 'Out',
  icon: Inbox,
  path: paths.inbox,
  ability: 'inbox.read',
  letter: 'i',
}

export const suppressions: ScreenEntry = {
  label: 'Suppressions',
  group: 'Out',
  icon: Ban,
  path: paths.suppressions,
  ability: 'suppressions.read',
  letter: 'x',
}

export const settings: ScreenEntry = {
  label: 'Settings',
  group: 'Machine',
  icon: Settings2,
  path: (workspace) => paths.settings(workspace),
  ability: 'settings.read',
  letter: ',',
}

export const accounts: ScreenEntry = {
  label: 'Accounts',
  group: 'Company',
  icon: UserRoundCog,
  path: () => paths.accounts(),
  ability: 'accounts.read',
  letter: 'd',
}

export const access: ScreenEntry = {
  label: 'Access',
  group: 'Company',
  icon: BadgeCheck,
  path: (workspace) => paths.access(workspace),
  ability: 'teams.read',
  letter: 'f',
}

export const sessions: ScreenEntry = {
  label: 'Sessions',
  group: 'Company',
  icon: MonitorSmartphone,
  path: () => paths.sessions(),
  ability: 'sessions.read',
  letter: 'h',
}

export const scim: ScreenEntry = {
  label: 'SCIM tokens',
  group: 'Company',
  icon: PlugZap,
  path: () => paths.scim(),
  ability: 'scim_tokens.read',
  letter: 'y',
}

export const audit: ScreenEntry = {
  label: 'Audit',
  group: 'Company',
  icon: FileClock,
  path: (workspace) => paths.audit(workspace),
  ability: 'audit.read',
  letter: 'u',
}
