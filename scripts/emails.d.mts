// Types of emails.mjs for its test.
export const LANGUAGES: string[]
export const texts: Record<string, object>
export const KINDS: string[]
export const CODE_SCREENS: Record<string, string>
export function subjectOf(kind: string): string
export function htmlOf(kind: string): string
export function withSubjects(toml: string): string
