// Where a server has the vault's key: the environment, else a file of DATA_DIR, which the first start writes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'
import type { VaultKey } from '../postgres/migrate/vault-key.ts'
import { readSecretly, writeSecretly } from './keys.ts'

/** The key that this server gives to its database. Throws ConfigError where the file cannot be read. */
export function openVaultKey({ dataDir, vaultKey }: Pick<Config, 'dataDir' | 'vaultKey'>): VaultKey & {
  /** Whether this start wrote the file. */
  readonly isNew: boolean
} {
  if (vaultKey) return { value: vaultKey, setting: 'VAULT_KEY', isNew: false, keep: () => {} }
  const path = join(dataDir, 'vault.key')
  const value = existsSync(path) ? readSecretly(path).trim() : null
  if (value === '')
    throw new ConfigError([`DATA_DIR: ${path} is empty; restore it from a backup, or set VAULT_KEY`])
  let isNew = false
  return {
    value,
    get isNew() {
      return isNew
    },
    setting: path,
    keep(key) {
      if (isNew) return
      writeSecretly(path, key)
      isNew = true
    },
  }
}
