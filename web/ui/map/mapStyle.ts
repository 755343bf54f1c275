// The look of the map that ships with the app: a style of MapLibre in the colours of the theme
// (https://maplibre.org/maplibre-style-spec). Without `glyphs` in the style, letters are drawn from the page's own fonts.
import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl'
import { placeSources } from '../../../marketplace.config.ts'
import basemap from '../../../shared/map/province.json?url'
import { places } from '../../lib/allPlaces.ts'
import type { ShownTheme } from '../../lib/themeChoice.ts'

const MAP_SOURCE = '<a href="https://www.naturalearthdata.com">Natural Earth</a>'
const PLACE_SOURCE = placeSources.map(({ name, url }) => `<a href="${url}">${name}</a>`).join(', ')

const COLOURS = {
  light: {
    outside: '#ece4d2',
    land: '#fbf7ee',
    border: '#b9ab8d',
    water: '#b5d6e8',
    river: '#9cc7df',
    rail: '#cfc4ad',
    urban: '#f1e4c4',
    text: '#474d5b',
    halo: '#fbf7ee',
    waterText: '#0c6092',
  },
  dark: {
    outside: '#0b0f17',
    land: '#1a2230',
    border: '#56627a',
    water: '#14344b',
    river: '#1f4a66',
    rail: '#3a4557',
    urban: '#2b3142',
    text: '#c0c3c9',
    halo: '#0f141e',
    waterText: '#82c8f1',
  },
} as const

const ofKind = (kind: string): ExpressionSpecification => ['==', ['get', 'kind'], kind]
/** The largest rank that is shown at a zoom level: rivers, names of lakes, places. */
const RIVER_RANK: ExpressionSpecification = ['step', ['zoom'], 9, 4, 10, 5.5, 11, 6.5, 12]
const LAKE_NAME_RANK: ExpressionSpecification = ['step', ['zoom'], 4, 7, 7, 8, 12]
const PLACE_RANK: ExpressionSpecification = ['step', ['zoom'], 1, 5.5, 2, 6.5, 3, 7.5, 4, 10.5, 5]

/** Smallest population of a city, town or village of each rank. */
const POPULATIONS = [100_000, 13_000, 2000, 1000, 0]
const NEIGHBOURHOOD_RANK = 5

const placeFeatures = {
  type: 'FeatureCollection' as const,
  features: places.map(({ name, kind, population = 0, latitude, longitude }) => ({
    type: 'Feature' as const,
    properties: {
      name,
      population,
      rank:
        kind === 'neighbourhood' ? NEIGHBOURHOOD_RANK : POPULATIONS.findIndex((least) => population >= least),
    },
    geometry: { type: 'Point' as const, coordinates: [longitude, latitude] },
  })),
}

/** The style of the shipped map in that theme. */
export function mapStyle(theme: ShownTheme): StyleSpecification {
  return {
    version: 8,
    sources: {
      basemap: { type: 'geojson', data: basemap, attribution: MAP_SOURCE },
      places: { type: 'geojson', data: placeFeatures, attribution: PLACE_SOURCE },
    },
    layers: [...landLayers(theme), ...labelLayers(theme)],
  }
}

function landLayers(theme: ShownTheme): LayerSpecification[] {
  const colour = COLOURS[theme]
  const width: ExpressionSpecification = ['interpolate', ['linear'], ['zoom'], 4, 0.5, 12, 3]
  const source = 'basemap'
  return [
    { id: 'outside', type: 'background', paint: { 'background-color': colour.outside } },
    {
      id: 'province',
      type: 'fill',
      source,
      filter: ofKind('province'),
      paint: { 'fill-color': colour.land },
    },
    { id: 'urban', type: 'fill', source, filter: ofKind('urban'), paint: { 'fill-color': colour.urban } },
    { id: 'lakes', type: 'fill', source, filter: ofKind('lake'), paint: { 'fill-color': colour.water } },
    {
      id: 'rivers',
      type: 'line',
      source,
      filter: ['all', ofKind('river'), ['<=', ['get', 'rank'], RIVER_RANK]],
      paint: { 'line-color': colour.river, 'line-width': width },
    },
    {
      id: 'railways',
      type: 'line',
      source,
      minzoom: 6,
      filter: ofKind('rail'),
      paint: { 'line-color': colour.rail, 'line-width': 1.2, 'line-dasharray': [3, 2] },
    },
    {
      id: 'boundary',
      type: 'line',
      source,
      filter: ofKind('province'),
      paint: { 'line-color': colour.border, 'line-width': 1.5 },
    },
  ]
}

function labelLayers(theme: ShownTheme): LayerSpecification[] {
  const colour = COLOURS[theme]
  const halo = { 'text-halo-color': colour.halo, 'text-halo-width': 1.4 }
  return [
    {
      id: 'lake names',
      type: 'symbol',
      source: 'basemap',
      minzoom: 6,
      filter: ['all', ofKind('lake'), ['<=', ['get', 'rank'], LAKE_NAME_RANK]],
      layout: { 'text-field': ['get', 'name'], 'text-font': ['Figtree Variable'], 'text-size': 11 },
      paint: { 'text-color': colour.waterText, ...halo },
    },
    {
      id: 'place dots',
      type: 'circle',
      source: 'places',
      filter: ['<=', ['get', 'rank'], PLACE_RANK],
      paint: { 'circle-radius': 2.5, 'circle-color': colour.text },
    },
    {
      id: 'place names',
      type: 'symbol',
      source: 'places',
      filter: ['<=', ['get', 'rank'], PLACE_RANK],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': ['Figtree Variable'],
        'text-size': ['match', ['get', 'rank'], 0, 15, 1, 13, 12],
        'text-anchor': 'top',
        // A marker of tasks at the place does not cover the name.
        'text-offset': [0, 1.3],
        'symbol-sort-key': ['-', ['get', 'population']],
      },
      paint: { 'text-color': colour.text, ...halo },
    },
  ]
}
