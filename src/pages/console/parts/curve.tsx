export type Fate = {
  health_decay?: number
  archive_at_health?: number | null
  remove_after_seconds?: number | null
}

/** In how many days a memory with this health is archived if nobody recalls it; undefined if never. */
export function lastDayOf({ health_decay = 0, archive_at_health }: Fate, health = 100): number | undefined {
  if (health_decay <= 0 || archive_at_health === null || archive_at_health === undefined) return undefined
  return Math.max(0, Math.ceil((health - archive_at_health) / health_decay))
}

const SHOWN_DAYS = 120

/** The health of a memory that nobody recalls, over 120 days. The words next to it say the same. */
export function Curve({
  rules,
  health = 100,
  isLarge = false,
}: {
  rules: Fate
  health?: number
  isLarge?: boolean
}) {
  const { health_decay = 0, archive_at_health } = rules
  const lastDay = lastDayOf(rules, health) ?? Number.POSITIVE_INFINITY
  const end = Math.min(lastDay, SHOWN_DAYS)
  const last = Math.max(archive_at_health ?? 0, health - health_decay * end)
  const fall = lastDay <= SHOWN_DAYS ? ` ${end},100` : ''
  return (
    <svg
      viewBox={`0 0 ${SHOWN_DAYS} 100`}
      className={isLarge ? 'curve large' : 'curve'}
      aria-hidden="true"
      preserveAspectRatio="none"
    >
      <polyline points={`0,${Math.max(2, 100 - health)} ${end},${Math.max(2, 100 - last)}${fall}`} />
    </svg>
  )
}
