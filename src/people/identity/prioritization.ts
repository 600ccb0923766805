/** Ways to choose among the people who share an address; each narrows what the one before it has left (specification 4.6). */
export const priorities = ['identified', 'unidentified', 'most_recently_updated', 'least_recently_updated'] as const
export type Priority = (typeof priorities)[number]
