// The picture of the place: a Saskatchewan horizon that follows the theme (day, night) and the calendar (four seasons).
// Decoration: screen readers pass it by. Layers move only where motion is welcome; see horizon.css.
import './horizon.css'
import { useState } from 'react'
import { FencePost } from './FencePost.tsx'
import { Land } from './Land.tsx'
import { Sky } from './Sky.tsx'
import { Snowfall } from './Snowfall.tsx'
import { seasonOf } from './season.ts'

/**
 * `hero` fills its place down to the edges; `strip` shows the land at the foot of a wide, low one; `scene` the bird on its
 * post in a small one. `singing` for a moment of joy; `mirrored` puts the bird to the left.
 */
export type HorizonProps = { fit?: 'hero' | 'strip' | 'scene'; singing?: boolean; mirrored?: boolean }

export function Horizon({ fit = 'hero', singing = false, mirrored = false }: HorizonProps) {
  const [season] = useState(() => seasonOf(new Date()))
  return (
    <div
      aria-hidden
      data-season={season}
      data-fit={fit}
      data-singing={singing || undefined}
      data-mirrored={mirrored || undefined}
      className="horizon absolute inset-0 overflow-hidden"
    >
      <Sky />
      <Land />
      <FencePost />
      {season === 'winter' && fit !== 'scene' && <Snowfall />}
    </div>
  )
}
