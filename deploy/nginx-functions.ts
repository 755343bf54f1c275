// Requests of an nginx site to the project's functions, because nginx runs no code: pages of tasks and people with
// their heads (page-head with `page=whole`), and sitemaps.
import type { StaticSite } from '@meadowlark/server/http/file-addresses.ts'

/** Trusted authorities, where Debian, Ubuntu and Alpine keep them. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

/** `upstream` is written before the server, `locations` in it. */
export function nginxFunctions({ functions, always, pages }: StaticSite): {
  upstream: string
  locations: string
} {
  const { protocol, host, hostname, port, pathname } = new URL(functions)
  const proxied = (name: string, query: string) =>
    `proxy_pass ${protocol}//meadowlark_functions${pathname}/${name}?${query};`
  // No header of the caller is passed on.
  const proxy = `
        proxy_http_version 1.1;
        proxy_set_header Host ${host};
        proxy_set_header Connection "";
        proxy_set_header Cookie "";
        proxy_set_header Authorization "";
        proxy_set_header Accept-Encoding "";
        proxy_ssl_server_name on;
        proxy_ssl_name ${hostname};
        proxy_ssl_verify on;
        proxy_ssl_verify_depth 3;
        proxy_ssl_trusted_certificate ${AUTHORITIES};
        proxy_connect_timeout 3s;
        proxy_read_timeout 10s;
        proxy_hide_header set-cookie;
${lines([...Object.keys(always), ...Object.keys(pages)].map((name) => `proxy_hide_header ${name};`))}`
  const headers = (named: Record<string, string>) =>
    lines(Object.entries(named).map(([name, value]) => `add_header ${name} "${value}" always;`))
  const ofPages = {
    'content-type': 'text/html; charset=UTF-8',
    'cache-control': 'no-cache',
    ...always,
    ...pages,
  }
  return {
    upstream: `# Looked up when nginx starts or reloads.
upstream meadowlark_functions {
    server ${hostname}:${port || (protocol === 'https:' ? 443 : 80)};
    keepalive 8;
}
`,
    locations: `    # While no function answers: the app alone, and search engines come again.
    location ~ "^((?:/[a-z]{2})?/(?:task|profile)/[\\w-]+)$" {
        ${proxied('page-head', 'page=whole&path=$1')}${proxy}        proxy_hide_header content-type;
        proxy_hide_header cache-control;
        proxy_intercept_errors on;
        error_page 500 502 503 504 546 =503 /app.html;
        gzip on;
        gzip_proxied any;
        gzip_types text/plain;
${headers(ofPages)}    }
    location ~ "^(/sitemaps/[\\w-]+\\.xml)$" {
        ${proxied('sitemap', 'path=$1')}${proxy}${headers(always)}    }
`,
  }
}

function lines(all: string[]): string {
  return all.map((line) => `        ${line}\n`).join('')
}
