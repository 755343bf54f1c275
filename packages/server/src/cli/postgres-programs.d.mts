export const RELEASES: Record<string, string>
export function programsOf(major: string | number): string
