/** The text members of a device, named like their columns (specification 2.3). */
export const deviceTexts = ['model', 'os', 'carrier', 'idfv', 'idfa', 'google_ad_id', 'roku_ad_id'] as const

/** What is stored of a device beside its id. */
export type DeviceMembers = Readonly<Record<(typeof deviceTexts)[number], string | null>> & {
  readonly ad_tracking_enabled: boolean | null
}
export type DeviceMember = keyof DeviceMembers
