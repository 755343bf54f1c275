// The types of changed.mjs, for the test of it.
export function changeSinceMain(root: string): { base: string; files: string[] }
export function projectsInFull(files: readonly string[]): Set<string>
export function journeysOf(root: string, files: readonly string[]): 'all' | string[]
