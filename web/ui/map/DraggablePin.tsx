// A pin that a person drags, moves with the arrow keys, or puts where they tap the map.
import { MapPin } from 'lucide-react'
import { type Map as MapLibreMap, type MapMouseEvent, Marker } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Position } from '../../../shared/distances.ts'
import { movedBy } from '../../lib/points.ts'

const STEP_METRES = 10
const LONG_STEP_METRES = 100
/** To the north and to the east. */
const STEPS: Record<string, [number, number]> = {
  ArrowUp: [1, 0],
  ArrowDown: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

export type Pin = {
  at: Position
  /** The name of the pin for screen readers, with its keys. */
  label: string
  onMove: (to: Position) => void
}

export function DraggablePin({ map, at, label, onMove }: Pin & { map: MapLibreMap }) {
  const [element] = useState(() => document.createElement('div'))
  const [marker] = useState(() =>
    new Marker({ element, draggable: true, anchor: 'bottom' }).setLngLat([at.longitude, at.latitude]),
  )
  const current = useRef({ at, onMove })
  useEffect(() => {
    current.current = { at, onMove }
    marker.setLngLat([at.longitude, at.latitude])
    if (!map.getBounds().contains(marker.getLngLat())) map.easeTo({ center: marker.getLngLat() })
  }, [map, marker, at, onMove])
  useEffect(() => {
    const moveTo = ({ lat, lng }: { lat: number; lng: number }) =>
      current.current.onMove({ latitude: lat, longitude: lng })
    const dragged = () => moveTo(marker.getLngLat())
    const tapped = ({ lngLat, originalEvent }: MapMouseEvent) => {
      if (!element.contains(originalEvent.target as Node)) moveTo(lngLat)
    }
    const pressed = (event: KeyboardEvent) => {
      const step = STEPS[event.key]
      if (!step) return
      // The map would move, too.
      event.preventDefault()
      event.stopPropagation()
      const metres = event.shiftKey ? LONG_STEP_METRES : STEP_METRES
      current.current.onMove(movedBy(current.current.at, step[0] * metres, step[1] * metres))
    }
    marker.addTo(map).on('dragend', dragged)
    // MapLibre gives the element a role and a name of a marker; the button inside has both.
    for (const name of ['role', 'aria-label', 'tabindex']) element.removeAttribute(name)
    map.on('click', tapped)
    element.addEventListener('keydown', pressed)
    return () => {
      marker.off('dragend', dragged).remove()
      map.off('click', tapped)
      element.removeEventListener('keydown', pressed)
    }
  }, [map, marker, element])
  return createPortal(
    <button type="button" aria-label={label} className="grid size-11 cursor-grab place-items-end rounded-md">
      <MapPin aria-hidden className="mx-auto size-10 fill-wheat text-ink" />
    </button>,
    element,
  )
}
