// The horizon inside the app: in heads of pages, empty lists and good moments. Its drawing is loaded after what is read.
import { memo, Suspense } from 'react'
import { classes } from '../classes.ts'
import { lazyPart } from '../lazyPart.ts'
import type { HorizonProps } from './Horizon.tsx'

const Horizon = lazyPart(async () => ({ default: (await import('./Horizon.tsx')).Horizon }))

/** Fills the nearest positioned element, behind what follows it: `<div className="relative"><Scene fit="strip" />…</div>`. */
export const Scene = memo(function Scene({ className, ...picture }: HorizonProps & { className?: string }) {
  // The parent must not draw it again: React would discard the prerendered picture before hydrating it.
  return (
    <div aria-hidden className={classes('pointer-events-none absolute inset-0 overflow-hidden', className)}>
      <Suspense fallback={null}>
        <div className="absolute inset-0 animate-fade-in">
          <Horizon {...picture} />
        </div>
      </Suspense>
    </div>
  )
})
