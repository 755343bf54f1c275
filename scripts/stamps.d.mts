// The types of stamps.mjs, for the test of it.
type Part = 'server' | 'web'
type Stamp = { hash: string; looks: string | null }

export const OUT: string
export function inputsOf(name: Part, root?: string): { hash(): string; looks: string | null }
export function isBuilt(name: Part, root?: string): boolean
export function writeStamp(name: Part, stamp: Stamp, root?: string): void
export function removeStamp(name: Part, root?: string): void
export function listFiles(path: string): string[]
