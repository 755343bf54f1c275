// Connection URLs of PostgreSQL with several hosts, as libpq writes them, in a form that URL() can read.
// https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS

/** Allowed values of `target_session_attrs`. Libpq's others lead to hosts that refuse writes. */
const WRITABLE = ['read-write', 'primary']

/** Scheme, user with password, hosts, and the rest. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^@/?#]*)(.*)$/s

export interface Host {
  /** A name, an address, or the folder of a unix socket. */
  host: string
  port: string
}

/**
 * A connection URL with one host before its path, which URL() can read. Several hosts, `a:5432,b:5433`, are given in
 * the parameters `host` and `port`, where libpq reads them as well. Throws what makes it no such URL.
 */
export function readHosts(text: string): string {
  const [, scheme, user, hosts = '', rest] = URL_PARTS.exec(text) ?? []
  const of = (authority: string) =>
    new URL(`${scheme}${user === undefined ? '' : `${user}@`}${authority}${rest}`)
  const listed = hosts.split(',').map((each) => of(each))
  const [url] = listed
  if (!scheme || !url) throw new Error('not a connection URL')
  if (listed.length > 1) {
    url.searchParams.set('host', listed.map(({ hostname }) => plain(hostname)).join(','))
    url.searchParams.set('port', listed.map(({ port }) => port || '5432').join(','))
  }
  const wanted = url.searchParams.get('target_session_attrs')
  if (wanted !== null && !WRITABLE.includes(wanted)) throw new Error(`target_session_attrs=${wanted}`)
  const { length } = hostsOf(url.href)
  if (hostsOf(url.href).some(({ host, port }) => length > 1 && !(host && /^\d+$/.test(port))))
    throw new Error('a host without a name')
  return listed.length > 1 ? url.href : text
}

const plain = (hostname: string) => decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1')

/** The hosts of a URL that readHosts() gave; one for most. */
export function hostsOf(href: string): Host[] {
  const url = new URL(href)
  const hosts = (url.searchParams.get('host') ?? plain(url.hostname)).split(',')
  const ports = (url.searchParams.get('port') ?? (url.port || '5432')).split(',')
  return hosts.map((host, at) => ({ host, port: (ports.length === 1 ? ports[0] : ports[at]) ?? '' }))
}

/** The same URL with this host alone. */
export function withHost(href: string, { host, port }: Host): string {
  const url = new URL(href)
  for (const name of ['host', 'port', 'target_session_attrs']) url.searchParams.delete(name)
  const authority = host.startsWith('/') ? encodeURIComponent(host) : host.includes(':') ? `[${host}]` : host
  const query = url.searchParams.size > 0 ? `?${url.searchParams}` : ''
  const who = url.username ? `${url.username}${url.password && `:${url.password}`}@` : ''
  return `${url.protocol}//${who}${authority}:${port}${url.pathname}${query}`
}
