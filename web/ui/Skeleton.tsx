// A grey shape where content is about to be.
import { classes } from './classes.ts'

/** `<Skeleton className="h-6 w-40" />`; put `aria-busy` and a hidden "Loading…" on the region around several. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden data-waiting className={classes('h-4 animate-pulse rounded-sm bg-sunken', className)} />
  )
}
