export function writeHostCode(options: {
  host: 'cloudflare' | 'netlify'
  to: string
  site: object
  app: string
}): Promise<void>
