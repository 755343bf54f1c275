// Types of find-browser.mjs for playwright.config.ts.
export const CHROMIUM_FLAGS: string[]
export function browserOnThisMachine(): Promise<string | undefined>
export function findBrowser(): Promise<string>
export const WEBGL_FLAGS: string[]
