// Makes MapLibre's map in an element and removes it with the element. Only the map's own chunk imports this file.
import {
  AttributionControl,
  LngLat,
  LngLatBounds,
  Map as MapLibreMap,
  NavigationControl,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url'
import { type RefObject, useEffect, useState } from 'react'
import type { Position } from '../../../shared/distances.ts'
import { type Area, WHOLE_MAP } from './geometry.ts'

setWorkerUrl(workerUrl)

export type MapState = { map?: MapLibreMap; failed: boolean }

type MapWords = { [key: string]: string }

/** The map of an element, once it can be drawn; `failed` where the browser has no WebGL. `words` are MapLibre's texts by its keys. */
export function useMap(
  container: RefObject<HTMLElement | null>,
  style: StyleSpecification | string | undefined,
  words: MapWords,
): MapState {
  const [state, setState] = useState<MapState>({ failed: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new style or language does not make another map
  useEffect(() => {
    if (!container.current || !style) return
    let map: MapLibreMap
    try {
      map = new MapLibreMap({
        container: container.current,
        style,
        locale: words,
        bounds: boundsOf(WHOLE_MAP),
        attributionControl: false,
        dragRotate: false,
        pitchWithRotate: false,
        touchPitch: false,
        maxPitch: 0,
        minZoom: 3,
        maxZoom: 17,
      })
    } catch {
      setState({ failed: true })
      return
    }
    // The element around it is the region; this is what takes the arrow keys.
    map.getCanvas().setAttribute('role', 'application')
    map.touchZoomRotate.disableRotation()
    map.keyboard.disableRotation()
    map.addControl(new NavigationControl({ showCompass: false }), 'top-right')
    map.addControl(
      new AttributionControl({ compact: true, customAttribution: sourcesOf(style) }),
      'bottom-right',
    )
    map.once('style.load', () => setState({ map, failed: false }))
    return () => {
      setState({ failed: false })
      map.remove()
    }
  }, [container, style === undefined])

  useEffect(() => {
    if (style) state.map?.setStyle(style)
  }, [state.map, style])
  return state
}

/** The sources that a style names, so that they are written before the map is placed: it keeps room for them. */
function sourcesOf(style: StyleSpecification | string): string[] {
  const sources = typeof style === 'string' ? [] : Object.values(style.sources)
  return sources.flatMap((source) => ('attribution' in source && source.attribution) || [])
}

export const boundsOf = ({ south, west, north, east }: Area): LngLatBounds =>
  new LngLatBounds([west, south], [east, north])

/** The area that a circle fits into. */
export const areaAround = ({ latitude, longitude }: Position, km: number): Area =>
  shownArea(LngLatBounds.fromLngLat(new LngLat(longitude, latitude), km * 1000))

export function centreOf(area: Area): Position {
  const { lat, lng } = boundsOf(area).getCenter()
  return { latitude: lat, longitude: lng }
}

/** The smallest area with all the positions; undefined without any. */
export function areaOf(positions: readonly Position[]): Area | undefined {
  if (positions.length === 0) return undefined
  const bounds = new LngLatBounds()
  for (const { longitude, latitude } of positions) bounds.extend([longitude, latitude])
  return shownArea(bounds)
}

export const shownArea = (bounds: LngLatBounds): Area => ({
  south: bounds.getSouth(),
  west: bounds.getWest(),
  north: bounds.getNorth(),
  east: bounds.getEast(),
})
