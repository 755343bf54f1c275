// A grey shape where content is about to be. A span, because it also replaces words within a paragraph.
import { classes } from './classes.ts'

/**
 * `<Skeleton className="h-6 w-40" />`; put `aria-busy` and a hidden "Loading…" on the region around several. Content
 * below it in an `in-order` stack (tokens.css) is shown after the content that replaces it, unless that `fits` into
 * the same space.
 */
export function Skeleton({ fits = false, className }: { fits?: boolean; className?: string }) {
  return (
    <span
      aria-hidden
      data-waiting={fits ? undefined : true}
      className={classes('block h-4 animate-pulse rounded-sm bg-sunken', className)}
    />
  )
}

/**
 * For places that show nothing until it is known whether there is anything: content below waits for that all the
 * same.
 */
export const NotYetKnown = () => <span data-waiting hidden />
