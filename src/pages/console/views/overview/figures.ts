/** What counts as a figure that somebody should look at, in words behind its number. */
export const figures = {
  fading: 'with a health below 20',
  unconnected: 'without a connection',
  never_recalled: 'that nobody recalled within half of their time',
  near_duplicates: 'with a near duplicate',
  outliers: 'far from all others',
} as const

export type Figure = keyof typeof figures
