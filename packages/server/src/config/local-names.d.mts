// The types of local-names.mjs.
export type Here = {
  /** Where this machine reaches the server. */
  origin: string
  /** `[api] port` of config.toml. */
  apiPort: number
  /** In production `host.docker.internal` is this server at the API's ports alone: a container may have a machine around it. */
  production: boolean
}

export function isOwnName(hostname: string): boolean
export function localRequest(input: string | URL | Request, here: Here): string | URL | Request
export function localAddress(address: string, here: Here): string
