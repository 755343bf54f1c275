// The landing's picture: a Saskatchewan horizon that follows the theme (day, night) and the calendar (four seasons).
// Decoration: screen readers pass it by. Layers move only where motion is welcome; see horizon.css.
import './horizon.css'
import { useState } from 'react'
import { FencePost } from './FencePost.tsx'
import { Land } from './Land.tsx'
import { Sky } from './Sky.tsx'
import { Snowfall } from './Snowfall.tsx'
import { seasonOf } from './season.ts'

export function Horizon() {
  const [season] = useState(() => seasonOf(new Date()))
  return (
    <div aria-hidden data-season={season} className="horizon absolute inset-0 overflow-hidden">
      <Sky />
      <Land />
      <FencePost />
      {season === 'winter' && <Snowfall />}
    </div>
  )
}
