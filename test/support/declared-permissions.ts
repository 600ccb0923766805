import type { Declared } from '../../src/accounts/permissions/declared.ts'

/** Three workspaces, with one role that holds in two of them and names that two roles have. */
export const declared: Declared = {
  workspaces: [
    {
      workspace_id: 1,
      id: 'default',
      name: 'Default',
      teams: [
        { id: 't-de', name: 'Germany' },
        { id: 't-fr', name: 'France' },
      ],
      roles: [
        { id: 'r-editor', name: 'Editor', permissions: ['basic_access', 'edit_segments'] },
        { id: 'r-both', name: 'Everywhere', permissions: ['basic_access'] },
        { id: 'r-twin-1', name: 'Twin', permissions: [] },
      ],
      sets: [{ id: 's-care', name: 'Care', permissions: ['view_user_profile', 'view_pii'] }],
    },
    {
      workspace_id: 7,
      id: 'shop',
      name: 'Shop',
      teams: [{ id: 't-de', name: 'Deutschland' }],
      roles: [
        { id: 'r-both', name: 'Everywhere', permissions: ['launch_canvases'] },
        { id: 'r-twin-2', name: 'Twin', permissions: [] },
        { id: 'r-triplet-1', name: 'Triplet', permissions: [] },
      ],
      sets: [],
    },
    {
      workspace_id: 8,
      id: 'club',
      name: 'Club',
      teams: [],
      roles: [{ id: 'r-triplet-2', name: 'Triplet', permissions: [] }],
      sets: [],
    },
  ],
  keepsUnknown: false,
  departments: ['finance', 'marketing'],
  unknownDepartments: 'keep',
  defaultRole: undefined,
  defaultDepartment: undefined,
}
