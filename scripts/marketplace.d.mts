export function generatedFiles(): Promise<[path: string, content: string][]>
