// Points and areas as the map gives and takes them, in degrees of WGS 84.

export type Position = { latitude: number; longitude: number }

export type Area = { south: number; west: number; north: number; east: number }

/** One thing on the map: `tag` is on its marker, such as a price; `label` is its name for screen readers. */
export type MapItem = Position & { id: string; tag: string; label: string }

/** Shown while nothing else is asked: the settled south of the province. */
export const WHOLE_MAP: Area = { south: 49, west: -110, north: 54.6, east: -101.3 }

const KM_PER_DEGREE = 111.2

/** The smallest area that holds a circle. */
export function areaAround({ latitude, longitude }: Position, km: number): Area {
  const north = km / KM_PER_DEGREE
  const east = north / Math.cos((latitude * Math.PI) / 180)
  return {
    south: latitude - north,
    west: longitude - east,
    north: latitude + north,
    east: longitude + east,
  }
}

export const centreOfArea = ({ south, west, north, east }: Area): Position => ({
  latitude: (south + north) / 2,
  longitude: (west + east) / 2,
})
