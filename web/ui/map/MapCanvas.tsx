// A map with items, and optionally a circle or a route. Loaded when a map is first opened: import it with `lazy(() => import('…/map/MapCanvas.tsx'))`.
import 'maplibre-gl/dist/maplibre-gl.css'
import './map.css'
import circle from '@turf/circle'
import { MapPinOff } from 'lucide-react'
import type { GeoJSONSource, Map as MapLibreMap, StyleSpecification } from 'maplibre-gl'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../../shared/distances.ts'
import { currentLanguage } from '../../i18n/index.ts'
import { config } from '../../lib/config.ts'
import type { ReadonlyStore } from '../../lib/store.ts'
import { useTheme } from '../../lib/theme.tsx'
import { classes } from '../classes.ts'
import { EmptyState } from '../States.tsx'
import { DraggablePin, type Pin } from './DraggablePin.tsx'
import type { Area, MapItem } from './geometry.ts'
import { MapMarkers } from './MapMarkers.tsx'
import { mapStyle } from './mapStyle.ts'
import { areaOf, boundsOf, shownArea, useMap } from './useMap.ts'
import { useRoute } from './useRoute.ts'

export type MapCanvasProps = {
  /** The name of the map for screen readers. */
  label: string
  items: readonly MapItem[]
  selected?: readonly string[]
  onSelect?: (ids: string[]) => void
  /** The item that is pointed at elsewhere: its marker is marked. */
  pointed?: ReadonlyStore<string | undefined> | undefined
  /** The area to show; without it, the items' own. A new object moves the map. */
  area?: Area
  /** The zoom level that showing an area does not exceed. */
  closest?: number
  /** A person has moved the map to this area. */
  onMoved?: (area: Area) => void
  /** The searched surroundings of a position. */
  radius?: { center: Position; km: number }
  /** The items are the stops of a route in their order: a line joins them, and markers show all their tags. */
  isRoute?: boolean
  pin?: Pin
  /** The sentence where the browser cannot draw the map. */
  fallback?: string
  className?: string
  /** Laid over the map, such as a button or the chosen item. */
  children?: ReactNode
}

export default function MapCanvas({
  label,
  items,
  selected = [],
  onSelect,
  onMoved,
  ...props
}: MapCanvasProps) {
  const { t } = useTranslation()
  const container = useRef<HTMLDivElement>(null)
  const style = useStyle()
  const { map, failed } = useMap(container, style, {
    'Map.Title': label,
    'NavigationControl.ZoomIn': t('map.zoomIn'),
    'NavigationControl.ZoomOut': t('map.zoomOut'),
    'AttributionControl.ToggleAttribution': t('map.sources'),
  })
  useShownArea(map, props.area, items, props.closest)
  useMoved(map, onMoved)
  useRadius(map, props.radius)
  useRoute(map, props.isRoute ? items : undefined)
  return (
    <section aria-label={label} className={classes('relative isolate overflow-hidden', props.className)}>
      <div ref={container} className="size-full" dir="ltr" />
      {map && (
        <MapMarkers
          map={map}
          items={items}
          selected={selected}
          onSelect={onSelect ?? (() => {})}
          pointed={props.pointed}
          withTags={props.isRoute}
        />
      )}
      {map && props.pin && <DraggablePin map={map} {...props.pin} />}
      {failed && (
        <EmptyState
          icon={MapPinOff}
          scene={false}
          title={t('map.failed')}
          body={props.fallback ?? t('map.failedBody')}
        />
      )}
      {!failed && props.children}
    </section>
  )
}

/** The style that the operator has set, or the map that ships with the app. */
function useStyle(): StyleSpecification | string | undefined {
  const { resolved } = useTheme()
  const { mapStyleUrl, mapTilesUrl } = config
  const [streets, setStreets] = useState<StyleSpecification>()
  useEffect(() => {
    if (!mapTilesUrl) return
    void import('./streetStyle.ts').then(({ streetStyle }) =>
      setStreets(streetStyle(mapTilesUrl, resolved, currentLanguage())),
    )
  }, [resolved])
  const shipped = useMemo(() => mapStyle(resolved), [resolved])
  return mapStyleUrl ?? (mapTilesUrl ? streets : shipped)
}

const MARGIN_PX = 48
/** The width of the buttons that change the zoom, with their margin. */
const BUTTONS_PX = 54

/** The sources of the map are written over its lower edge, in as many lines as they need. */
const heightOfSources = (map: MapLibreMap) =>
  map.getContainer().querySelector<HTMLElement>('.maplibregl-ctrl-attrib')?.offsetHeight ?? 0

/** Moves the map to `area`, or at first to where the items are. */
function useShownArea(
  map: MapLibreMap | undefined,
  area: Area | undefined,
  items: readonly MapItem[],
  closest = 12,
) {
  const placed = useRef<MapLibreMap>(undefined)
  useEffect(() => {
    if (!map) return
    const shown = area ?? (placed.current === map ? undefined : areaOf(items))
    if (!shown) return
    map.fitBounds(boundsOf(shown), {
      padding: {
        top: MARGIN_PX,
        left: MARGIN_PX,
        // Items are not below the buttons in the corner.
        right: MARGIN_PX + (area ? 0 : BUTTONS_PX),
        bottom: MARGIN_PX + heightOfSources(map),
      },
      maxZoom: closest,
      animate: placed.current === map,
    })
    placed.current = map
  }, [map, area, items, closest])
}

/** Reports moves that a person made: those have an event of the browser. */
function useMoved(map: MapLibreMap | undefined, onMoved: ((area: Area) => void) | undefined) {
  const report = useRef(onMoved)
  useEffect(() => {
    report.current = onMoved
  })
  useEffect(() => {
    const moved = (event: { originalEvent?: Event }) => {
      if (map && event.originalEvent) report.current?.(shownArea(map.getBounds()))
    }
    map?.on('moveend', moved)
    return () => void map?.off('moveend', moved)
  }, [map])
}

const NOTHING = { type: 'FeatureCollection' as const, features: [] }

/** Draws the searched surroundings below the markers. */
function useRadius(map: MapLibreMap | undefined, radius: MapCanvasProps['radius']) {
  useEffect(() => {
    if (!map) return
    const draw = () => {
      const data = radius
        ? circle([radius.center.longitude, radius.center.latitude], radius.km, { steps: 96 })
        : NOTHING
      const source = map.getSource<GeoJSONSource>('radius')
      if (source) return void source.setData(data)
      map.addSource('radius', { type: 'geojson', data })
      map.addLayer({
        id: 'radius',
        type: 'fill',
        source: 'radius',
        paint: { 'fill-color': '#0c6092', 'fill-opacity': 0.1 },
      })
      map.addLayer({
        id: 'radius edge',
        type: 'line',
        source: 'radius',
        paint: { 'line-color': '#0c6092', 'line-width': 1.5 },
      })
    }
    draw()
    // A style that came with the other theme has none of it.
    map.on('style.load', draw)
    return () => void map.off('style.load', draw)
  }, [map, radius])
}
