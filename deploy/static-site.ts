// Writes the built web app as a static host serves it, with hosted Supabase. It is filled in, compressed, and has its
// /config.json and that host's files for headers and addresses.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Config } from '@meadowlark/server/config/config.ts'
import { captchaConfiguration, captchaSources } from '@meadowlark/server/http/captcha-widget.ts'
import type { StaticSite } from '@meadowlark/server/http/file-addresses.ts'
import { filledFiles, readAddresses } from '@meadowlark/server/http/web-app.ts'
import { getMimeType } from 'hono/utils/mime'
import { PAGE_SOURCES } from '../plugins/payments.ts'
import { headersFile, nginxSite, redirectsFile, staticSite } from './static-host.ts'

export interface StaticSiteOptions {
  config: Pick<Config, 'auth'>
  /** The built web app. */
  from: string
  /** Folder that is written anew. */
  to: string
  host: 'nginx' | 'netlify' | 'cloudflare'
  /** Where browsers reach the site: `https://meadowlark.example`. */
  origin: string
  /** Where they reach the API: `https://<ref>.supabase.co`. */
  api: string
  /** The project's publishable key. */
  key: string
  /** More of /config.json: `{vapidPublicKey}`. */
  configuration?: Record<string, unknown>
  /** Where nginx finds the files, `to` by default. */
  root?: string
}

/** Writes it and answers what its host has to know. */
export function writeStaticSite(options: StaticSiteOptions): StaticSite {
  const { config, from, to, host, origin, api, key, configuration, root = to } = options
  const filled = filledFiles(from, { origin, flags: [] })
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
  rmSync(join(to, '.vite'), { recursive: true, force: true })
  const { captcha } = config.auth
  const appConfiguration = {
    supabaseUrl: api,
    supabaseKey: key,
    ...captchaConfiguration(captcha),
    ...configuration,
  }
  writeFileSync(join(to, 'config.json'), JSON.stringify(appConfiguration))
  for (const [path, body] of filled) {
    writeFileSync(join(to, path), body)
    if (host === 'nginx') writeFileSync(join(to, `${path}.gz`), gzipSync(body, { level: 9 }))
  }
  // Other hosts compress by themselves.
  const unread = host === 'nginx' ? ['.br'] : ['.br', '.gz']
  for (const path of filesOf(to).filter((name) => unread.includes(extname(name)))) rmSync(path)

  const site = staticSite(api, {
    addresses: readAddresses(from),
    sources: [captchaSources(captcha), PAGE_SOURCES],
    indexHtml: readFileSync(join(to, 'index.html'), 'utf8'),
  })
  if (host === 'nginx') {
    const name = new URL(origin).hostname
    writeFileSync(`${to}.conf`, nginxSite(site, { name, root, types: mediaTypes(to) }))
  } else {
    if (host === 'netlify') {
      writeFileSync(join(to, '_headers'), headersFile(site))
      writeFileSync(join(to, '_redirects'), redirectsFile(site.addresses))
      writeFileSync(join(to, '../netlify.toml'), `[build]\n  publish = "${basename(to)}"\n`)
    }
  }
  return site
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** As web-app.ts has them. */
function mediaTypes(directory: string): Record<string, string> {
  const extensions = filesOf(directory).map((path) => extname(path).slice(1))
  const known = [...new Set(extensions)].filter((extension) => extension !== 'gz').sort()
  return Object.fromEntries(
    known.map((extension) => [extension, getMimeType(`a.${extension}`) ?? 'application/octet-stream']),
  )
}
