import type { GetAdminScimTokensReply } from '../../api/generated.ts'

export type Token = GetAdminScimTokensReply['tokens'][number]
