export function generatedFiles(): [path: string, content: string][]
