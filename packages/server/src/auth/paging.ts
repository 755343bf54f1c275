// Pages of lists for administrators: the parameters `page` and `per_page`, and links to the other pages (RFC 8288).
import { invalid } from './errors.ts'

const MAX_PAGE = 2 ** 31
const MAX_PER_PAGE = 1000

/** Throws validation_failed for anything but a whole number. */
export const readPage = (query: URLSearchParams): { page: number; perPage: number } => ({
  page: readWhole(query, 'page', 1, MAX_PAGE),
  perPage: readWhole(query, 'per_page', 50, MAX_PER_PAGE),
})

function readWhole(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const given = query.get(name) ?? ''
  if (given === '') return otherwise
  if (!/^\d{1,10}$/.test(given)) throw invalid(`Bad Pagination Parameters: ${name} must be a whole number`)
  return Math.min(Math.max(Number(given), 1), most)
}

/** The value of the header `link`: to the next page, where there is one, and to the last. */
export function pageLinks(path: string, query: URLSearchParams, page: number, last: number): string {
  const to = (number: number) => {
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(number))
    return `<${path}?${parameters}>`
  }
  const next = page < last ? `${to(page + 1)}; rel="next", ` : ''
  return `${next}${to(last)}; rel="last"`
}
