export function generatedFile(): [path: string, content: string]
