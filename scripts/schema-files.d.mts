export function schemaFiles(project: string): string[]
export function copyAsMigrations(project: string, folder: string): void
