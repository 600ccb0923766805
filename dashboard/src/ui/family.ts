/** The families of outcomes. Each has a colour and an icon, so that colour is never the only sign. */
export type Family = 'sent' | 'waiting' | 'held' | 'control' | 'failed' | 'uncertain'
