// Data that a browser keeps for use without a network (web/lib/keptData.ts).
import type { Page } from '@playwright/test'

/** The names of what this browser keeps of accounts. */
export const keptNames = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('kept')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const names = opening.result.transaction('entries').objectStore('entries').getAllKeys()
          names.onsuccess = () =>
            resolve(names.result.map(String).filter((name) => name !== 'queries:visitor'))
          opening.result.close()
        }
      }),
  )
