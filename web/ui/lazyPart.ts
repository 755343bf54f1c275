// Code of parts around a screen, its scenery and the buttons of the frame: if it cannot be loaded, the screen is
// shown without it. It is asked for once more, as soon as there is a network again; after that only a page loaded
// anew has it.
import { type ComponentType, lazy } from 'react'

/** Before the second try of a browser that believes to be connected. */
const PAUSE_MS = 3000

type Part<Props> = { default: ComponentType<Props> }

/** As React's `lazy`, for a part inside a Suspense that the screen can do without. */
export const lazyPart = <Props>(load: () => Promise<Part<Props>>) =>
  lazy(
    (): Promise<Part<Props>> =>
      load().catch(async () => {
        await new Promise((resolve) => {
          if (navigator.onLine) setTimeout(resolve, PAUSE_MS)
          else addEventListener('online', resolve, { once: true })
        })
        return load().catch(() => ({ default: () => null }))
      }),
  )
