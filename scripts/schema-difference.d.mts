interface CatalogueEntry {
  kind: string
  name: string
  definition: string
}
export const GAP: string
export function differenceOf(now: CatalogueEntry[], wanted: CatalogueEntry[], statements: string[]): string
