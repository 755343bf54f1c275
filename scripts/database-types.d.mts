export function databaseTypes(url: string): Promise<string>
export function databaseRules(url: string): Promise<string>
