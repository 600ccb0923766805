import { type Sql, sql } from '../../../base/db/sql.ts'
import { consentColumns } from '../../../people/addresses/consent-store.ts'

/** The columns of `EmailConsentRow`. */
export const emailColumns: Sql = sql`p.email_open_tracking_disabled, p.email_click_tracking_disabled, ${consentColumns}`
