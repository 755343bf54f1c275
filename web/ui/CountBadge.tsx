// A small count on a button or an entry, 9+ above 9 (specification 000 §9); the number itself is in words nearby.
import { classes } from './classes.ts'

const CAP = 9

/** `<CountBadge count={unread} />`; nothing at 0. Hidden from screen readers: name the count where it belongs. */
export function CountBadge({ count, className }: { count: number; className?: string }) {
  if (count <= 0) return null
  return (
    <span
      aria-hidden
      translate="no"
      className={classes(
        'tabular grid h-5 min-w-5 place-items-center rounded-full bg-danger px-1 text-xs leading-none font-bold text-on-danger',
        className,
      )}
    >
      {count > CAP ? `${CAP}+` : count}
    </span>
  )
}
