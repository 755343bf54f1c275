import type { Rolldown } from 'vite'

export function chunkGroups(frameTexts: string[]): Rolldown.CodeSplittingGroup[]
