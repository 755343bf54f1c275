// Form drafts for this browser tab. They survive a reload and a detour through signing in.

const PREFIX = 'draft:'
const storageKey = (name: string) => `${PREFIX}${name}`

/** The kept values, or null when there are none (or storage is switched off). */
export function readDraft<Values>(name: string): Partial<Values> | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageKey(name)) ?? 'null')
    return kept && typeof kept === 'object' ? kept : null
  } catch {
    return null
  }
}

export function keepDraft(name: string, values: object): void {
  try {
    sessionStorage.setItem(storageKey(name), JSON.stringify(values))
  } catch {
    // Full or switched off: the form still works, it only forgets.
  }
}

export function dropDraft(name: string): void {
  try {
    sessionStorage.removeItem(storageKey(name))
  } catch {
    // Nothing was kept then.
  }
}

/** Forgets what was typed into any form of this tab: whoever uses it next shall not find it. */
export function dropAllDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
    }
  } catch {
    // Nothing was kept then.
  }
}
