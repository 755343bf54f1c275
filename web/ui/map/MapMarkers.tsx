// The markers of a map: a button for each item, or for several that are close together. Tab and screen
// readers reach them like the items of the list.
import { type Map as MapLibreMap, Marker } from 'maplibre-gl'
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import Supercluster, { type ClusterFeature, type PointFeature } from 'supercluster'
import { createStore, type ReadonlyStore } from '../../lib/store.ts'
import { classes } from '../classes.ts'
import type { Area, MapItem } from './geometry.ts'
import { shownArea } from './useMap.ts'

/** Pixels within which items share a marker. */
const CLUSTER_RADIUS = 52
/** Pixels between a marker and the panel about it. */
const MARGIN = 12
/** Beyond the map's last zoom level, because rounded points of several items are often the same. */
const LAST_CLUSTERED_ZOOM = 24

const NONE = createStore<string | undefined>(undefined)

type Entry = { item: MapItem; order: number }
type Feature = ClusterFeature<{ first: number }> | PointFeature<Entry>

type MapMarkersProps = {
  map: MapLibreMap
  items: readonly MapItem[]
  selected: readonly string[]
  /** Called with the items of a marker that zooming cannot take apart. */
  onSelect: (ids: string[]) => void
  /** The item that is pointed at elsewhere. */
  pointed?: ReadonlyStore<string | undefined> | undefined
  /** A marker of several items shows their tags rather than their number. */
  withTags?: boolean | undefined
}

export function MapMarkers({
  map,
  items,
  selected,
  onSelect,
  pointed = NONE,
  withTags = false,
}: MapMarkersProps) {
  const clusters = useMemo(() => clustersOf(items), [items])
  const view = useView(map)
  const shown = useMemo(() => featuresIn(clusters, view), [clusters, view])
  const keys = useMemo(() => keysOf(clusters, shown), [clusters, shown])
  const isPointed = (feature: Feature) => keys.get(pointed.get() ?? '') === keyOf(feature)
  // The marker that takes the focus after the move, by its first item: the opened marker is no longer there then.
  const awaited = useRef<number>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the awaited marker comes with other markers
  useEffect(() => {
    if (awaited.current === undefined) return
    const marker = map.getContainer().querySelector<HTMLElement>(`[data-first="${awaited.current}"]`)
    marker?.focus({ preventScroll: true })
    awaited.current = undefined
  }, [shown])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice shows another panel
  useEffect(() => uncover(map), [map, selected])

  const open = (feature: Feature) => {
    if (!isCluster(feature)) return onSelect([feature.properties.item.id])
    const inside = entriesOf(clusters, feature)
    const zoom = clusters.getClusterExpansionZoom(feature.properties.cluster_id)
    if (zoom > map.getMaxZoom()) onSelect(inside.map(({ item }) => item.id))
    else {
      awaited.current = orderOf(feature)
      map.easeTo({ center: positionOf(feature), zoom })
    }
  }
  return shown.map((feature) => (
    <MapPoint key={keyOf(feature)} map={map} at={positionOf(feature)}>
      <MarkerButton
        feature={feature}
        tags={withTags ? entriesOf(clusters, feature).map(({ item }) => item.tag) : undefined}
        isChosen={selected.includes(items[orderOf(feature)]?.id ?? '')}
        pointed={pointed}
        isPointed={() => isPointed(feature)}
        onOpen={() => open(feature)}
      />
    </MapPoint>
  ))
}

/** Moves the map so far that the panel over it, which is about the chosen marker, does not cover the marker. */
function uncover(map: MapLibreMap) {
  const container = map.getContainer()
  const marker = container.querySelector('[aria-pressed=true]')?.getBoundingClientRect()
  const panel = container.parentElement?.querySelector('[data-panel]')?.getBoundingClientRect()
  if (!marker || !panel || marker.right < panel.left || marker.left > panel.right) return
  const up = marker.bottom + MARGIN - panel.top
  const down = panel.bottom + MARGIN - marker.top
  if (up > 0 && down > 0) map.panBy([0, up < down ? up : -down])
}

type MarkerButtonProps = {
  feature: Feature
  tags: string[] | undefined
  isChosen: boolean
  pointed: ReadonlyStore<unknown>
  isPointed: () => boolean
  onOpen: () => void
}

function MarkerButton({ feature, tags, isChosen, pointed, isPointed, onOpen }: MarkerButtonProps) {
  const { t } = useTranslation()
  // Each marker follows it by itself: the pointer is on another card with every picture of a scrolling list.
  const isMarked = useSyncExternalStore(pointed.subscribe, isPointed) || isChosen
  const several = isCluster(feature)
  return (
    <button
      type="button"
      data-first={orderOf(feature)}
      aria-label={
        several ? t('map.several', { count: feature.properties.point_count }) : feature.properties.item.label
      }
      aria-pressed={isChosen}
      data-marked={isMarked || undefined}
      onClick={onOpen}
      className={classes(
        'grid min-h-9 min-w-9 place-items-center rounded-full border-2 px-2 text-sm font-semibold shadow-float',
        several ? 'border-paper bg-ink text-paper' : 'border-wheat-deep bg-surface text-ink',
        isMarked && 'border-ink bg-wheat text-on-wheat',
      )}
    >
      <span translate="no">
        {several ? (tags?.join(', ') ?? feature.properties.point_count) : feature.properties.item.tag}
      </span>
    </button>
  )
}

type MapPointProps = { map: MapLibreMap; at: [number, number]; children: ReactNode }

/** Keeps `children` at a position of the map. */
function MapPoint({ map, at: [longitude, latitude], children }: MapPointProps) {
  const [element] = useState(() => document.createElement('div'))
  useEffect(() => {
    const marker = new Marker({ element }).setLngLat([longitude, latitude]).addTo(map)
    // MapLibre gives the element a role and a name of a marker; the button inside has both.
    element.removeAttribute('role')
    element.removeAttribute('aria-label')
    element.removeAttribute('tabindex')
    return () => void marker.remove()
  }, [map, element, longitude, latitude])
  return createPortal(children, element)
}

function clustersOf(items: readonly MapItem[]): Supercluster<Entry, { first: number }> {
  const clusters = new Supercluster<Entry, { first: number }>({
    radius: CLUSTER_RADIUS,
    maxZoom: LAST_CLUSTERED_ZOOM,
    map: ({ order }) => ({ first: order }),
    reduce: (sum, { first }) => {
      sum.first = Math.min(sum.first, first)
    },
  })
  return clusters.load(
    items.map((item, order) => ({
      type: 'Feature',
      properties: { item, order },
      geometry: { type: 'Point', coordinates: [item.longitude, item.latitude] },
    })),
  )
}

/** The items of a marker, in the order of the list. */
function entriesOf(clusters: Supercluster<Entry, { first: number }>, feature: Feature): Entry[] {
  if (!isCluster(feature)) return [feature.properties]
  const leaves = clusters.getLeaves(feature.properties.cluster_id, Infinity)
  return leaves.map(({ properties }) => properties).sort(byOrder)
}

/** The key of the marker that has each item. */
function keysOf(clusters: Supercluster<Entry, { first: number }>, shown: Feature[]): Map<string, string> {
  const inside = (feature: Feature) =>
    isCluster(feature)
      ? clusters.getLeaves(feature.properties.cluster_id, Infinity).map(({ properties }) => properties)
      : [feature.properties]
  return new Map(
    shown.flatMap((feature) => inside(feature).map(({ item }) => [item.id, keyOf(feature)] as const)),
  )
}

/** Markers of the shown area, in the order of the list. */
function featuresIn(clusters: Supercluster<Entry, { first: number }>, { area, zoom }: View): Feature[] {
  const found = clusters.getClusters(
    [area.west, area.south, area.east, area.north],
    Math.floor(zoom),
  ) as Feature[]
  return found.sort((a, b) => orderOf(a) - orderOf(b))
}

const isCluster = (feature: Feature): feature is ClusterFeature<{ first: number }> =>
  'cluster' in feature.properties
const orderOf = (feature: Feature) =>
  isCluster(feature) ? feature.properties.first : feature.properties.order
const byOrder = (a: Entry, b: Entry) => a.order - b.order
const keyOf = (feature: Feature) =>
  isCluster(feature)
    ? `group ${feature.properties.first} ${feature.properties.point_count}`
    : feature.properties.item.id
const positionOf = ({ geometry }: Feature) => geometry.coordinates as [number, number]

type View = { area: Area; zoom: number }

/** The shown area and zoom level, after each move. */
function useView(map: MapLibreMap): View {
  const [view, setView] = useState(() => viewOf(map))
  useEffect(() => {
    const update = () => setView(viewOf(map))
    map.on('moveend', update)
    return () => void map.off('moveend', update)
  }, [map])
  return view
}

const viewOf = (map: MapLibreMap): View => ({ area: shownArea(map.getBounds()), zoom: map.getZoom() })
