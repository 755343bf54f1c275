// The line that joins the items of a route in their order. Only the map's own chunk imports this file.
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl'
import { useEffect } from 'react'
import type { Position } from '../../../shared/distances.ts'
import { useTheme } from '../../lib/theme.tsx'

const COLOURS = { light: '#0c6092', dark: '#82c8f1' }

export function useRoute(map: MapLibreMap | undefined, stops: readonly Position[] | undefined) {
  const { resolved } = useTheme()
  useEffect(() => {
    if (!map || !stops) return
    const draw = () => {
      const data = {
        type: 'Feature' as const,
        properties: {},
        geometry: {
          type: 'LineString' as const,
          coordinates: stops.map(({ longitude, latitude }) => [longitude, latitude]),
        },
      }
      const source = map.getSource<GeoJSONSource>('route')
      if (source) {
        source.setData(data)
        map.setPaintProperty('route', 'line-color', COLOURS[resolved])
        return
      }
      map.addSource('route', { type: 'geojson', data })
      map.addLayer({
        id: 'route',
        type: 'line',
        source: 'route',
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': COLOURS[resolved], 'line-width': 3 },
      })
    }
    draw()
    // A style that came with the other theme does not have the line.
    map.on('style.load', draw)
    return () => void map.off('style.load', draw)
  }, [map, stops, resolved])
}
