// The picture of the place: a prairie horizon that follows the theme (day, night) and the calendar (four seasons, set
// on the document by app/beforePaint.ts). Decoration: screen readers pass it by. Layers move only where motion is
// welcome; see horizon.css.
import { FencePost } from './FencePost.tsx'
import { Land } from './Land.tsx'
import { Sky } from './Sky.tsx'
import { Snowfall } from './Snowfall.tsx'

/**
 * `hero` fills its place down to the edges; `strip` shows the land at the foot of a wide, low one; `scene` the bird on its
 * post in a small one. `singing` for a moment of joy; `mirrored` puts the bird to the left.
 */
export type HorizonProps = { fit?: 'hero' | 'strip' | 'scene'; singing?: boolean; mirrored?: boolean }

export function Horizon({ fit = 'hero', singing = false, mirrored = false }: HorizonProps) {
  return (
    <div
      aria-hidden
      data-fit={fit}
      data-singing={singing || undefined}
      data-mirrored={mirrored || undefined}
      className="horizon absolute inset-0 overflow-hidden"
    >
      <Sky />
      <Land />
      <FencePost />
      {fit !== 'scene' && <Snowfall />}
    </div>
  )
}
