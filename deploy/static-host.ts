// The web app as static files on a third-party host, with hosted Supabase. Writes the headers that our own server
// sends with them (packages/server/src/http), and the file for each address, in the syntax of each host.
import {
  type AppAddresses,
  addressPattern,
  FOR_EVER,
  type StaticSite,
} from '@meadowlark/server/http/file-addresses.ts'
import { type PageOptions, pageHeaders, securityHeaders } from '@meadowlark/server/http/security-headers.ts'
import { nginxFunctions } from './nginx-functions.ts'

/** The site whose API is at `api`, an origin: `https://<ref>.supabase.co`. */
export function staticSite(
  api: string,
  { addresses, ...page }: Pick<PageOptions, 'sources' | 'indexHtml'> & Pick<StaticSite, 'addresses'>,
): StaticSite {
  return {
    addresses,
    functions: `${api}/functions/v1`,
    always: securityHeaders(true),
    pages: pageHeaders({ ...page, apiOrigins: [api] }),
  }
}

/**
 * The file `_headers` of Netlify. Its patterns cannot tell pages from other files, so each has the policy, which means nothing
 * to a picture; what Netlify sends of caching by itself (`max-age=0, must-revalidate`) means what `no-cache` means.
 */
export function headersFile({ always, pages }: StaticSite): string {
  const lines = Object.entries({ ...always, ...pages }).map(([name, value]) => `  ${name}: ${value}\n`)
  return `/*\n${lines.join('')}/assets/*\n  cache-control: ${FOR_EVER}\n`
}

/** The file `_redirects` of Netlify, which serves a file where there is one and reads `:id` as the router does. */
export function redirectsFile(app: AppAddresses | null): string {
  const prefixes = ['', ...(app?.languages ?? []).map((code) => `/${code}`)]
  const screens = prefixes.flatMap((prefix) =>
    (app?.addresses ?? ['/*']).filter((path) => path !== '/').map((path) => prefix + path),
  )
  const rules = screens.map((path) => `${path}  /app.html  200\n`).join('')
  return `/assets/*  /404.html  404\n${rules}${app ? '/*  /404.html  404\n' : ''}`
}

/** Where nginx serves the app: at its screens' addresses with status 200, elsewhere with 404. */
function screens(app: AppAddresses | null): string {
  const fallback = app
    ? 'try_files $uri.html =404;\n        error_page 404 /404.html;'
    : 'try_files $uri.html /app.html;'
  const known = app
    ? `    location ~ "${addressPattern(app)}" {\n        try_files $uri.html /app.html;\n    }\n`
    : ''
  return `${known}    location / {\n        ${fallback}\n    }\n`
}

/** A site of nginx, for its folder conf.d; `types` are media types by extension. */
export function nginxSite(
  site: StaticSite,
  { name, root, types }: { name: string; root: string; types: Record<string, string> },
): string {
  const { always, pages, addresses } = site
  const { upstream, locations } = nginxFunctions(site)
  const header = (name: string, value: string, when = ' always') =>
    `    add_header ${name} ${value}${when};\n`
  const ofPages = Object.entries(pages)
  const variable = (name: string) => `$meadowlark_${name.replaceAll('-', '_')}`
  return `# Written by npm run static. Put TLS before it, or listen 443 ssl here.
${ofPages.map(([name, value]) => `map $sent_http_content_type ${variable(name)} {\n    default '';\n    ~^text/html "${value}";\n}\n`).join('')}map $uri $meadowlark_cache {
    default no-cache;
    ~^/assets/ "${FOR_EVER}";
}
${upstream}server {
    listen 80;
    server_name ${name};
    root ${root};
    # Each text file has a .gz beside it.
    gzip_static on;
    gzip_vary on;
    types {
${Object.entries(types)
  .map(([extension, type]) => `        "${type}" ${extension};\n`)
  .join('')}    }
${Object.entries(always)
  .map(([name, value]) => header(name, `"${value}"`))
  .join(
    '',
  )}${ofPages.map(([name]) => header(name, variable(name))).join('')}${header('cache-control', '$meadowlark_cache', '')}
    rewrite ^/(.+)/$ /$1 last;
    location = / {
        try_files /index.html =404;
    }
${locations}    location ~* \\.[a-z0-9]+$ {
        try_files $uri =404;
    }
${screens(addresses)}}
`
}
