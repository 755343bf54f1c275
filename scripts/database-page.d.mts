export function databasePage(url: string, page: string): Promise<string>
