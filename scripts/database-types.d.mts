export function databaseTypes(url: string): Promise<string>
