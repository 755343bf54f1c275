// Parts of the configuration that come from the environment's variables: limits, keys of tokens, and Deno.
import { resolve } from 'node:path'
import type { EnvironmentVariables } from './environment.ts'
import type { ConfigFile } from './file.ts'
import type { Environment } from './substitute.ts'

/** Variables of the server's environment that Deno needs for network access. */
const NETWORK =
  /^(https?_proxy|all_proxy|no_proxy|npm_config_registry|DENO_CERT|DENO_TLS_CA_STORE|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/i

export function limitSettings(variables: EnvironmentVariables) {
  return {
    openUploadsPerOwner: variables.MAX_OPEN_UPLOADS_PER_OWNER,
    connections: variables.MAX_CONNECTIONS,
    connectionsPerAddress: variables.MAX_CONNECTIONS_PER_ADDRESS,
    bodyMemory: variables.MAX_BODY_MEMORY_MB * 1024 * 1024,
    headTimeout: variables.HEAD_TIMEOUT * 1000,
    bodyTimeout: variables.BODY_TIMEOUT * 1000,
    readTimeout: variables.READ_TIMEOUT * 1000,
  }
}

export function jwtSettings(variables: EnvironmentVariables, { auth }: ConfigFile, project: string) {
  return {
    secret: variables.JWT_SECRET ?? null,
    keys: variables.JWT_KEYS ?? null,
    anonKey: variables.ANON_KEY ?? null,
    serviceRoleKey: variables.SERVICE_ROLE_KEY ?? null,
    signingKeysPath: auth.signing_keys_path ? resolve(project, auth.signing_keys_path) : null,
  }
}

export function denoSettings(variables: EnvironmentVariables, set: Environment) {
  return {
    always: variables.FUNCTIONS_RUNTIME === 'deno',
    path: variables.DENO_PATH ? resolve(variables.DENO_PATH) : null,
    searchPath: variables.PATH,
    cacheDir: variables.DENO_DIR ? resolve(variables.DENO_DIR) : null,
    network: Object.fromEntries(Object.entries(set).filter(([name]) => NETWORK.test(name))) as Record<
      string,
      string
    >,
  }
}
