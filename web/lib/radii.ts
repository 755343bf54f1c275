// Distances in kilometres that people choose from: how far a tasker travels, and how far around a point tasks are listed.
import { limits } from '../../shared/limits.ts'

export const { min: MIN_RADIUS_KM, max: MAX_RADIUS_KM } = limits.radiusKm

const OFFERED = [MIN_RADIUS_KM, 10, 25, 50, 100, MAX_RADIUS_KM]

/** The offered distances with `km` among them, the shortest first. */
export const radiiWith = (km: number) => [...new Set([...OFFERED, km])].sort((a, b) => a - b)
