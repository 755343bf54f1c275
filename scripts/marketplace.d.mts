export function generatedFile(): Promise<[path: string, content: string]>
