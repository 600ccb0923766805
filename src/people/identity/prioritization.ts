/** Ways to choose among people with the same address. Each filters the people that remain after the one before it (specification 4.6). */
export const priorities = ['identified', 'unidentified', 'most_recently_updated', 'least_recently_updated'] as const
export type Priority = (typeof priorities)[number]
