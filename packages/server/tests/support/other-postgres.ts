// Which PostgreSQL the tests' databases are of, where it is not the embedded one as its superuser: `npm run test:soak -- plain-owner`
// and `-- postgres-versions` set it.

/** True where the tests' databases belong to an account that is no superuser (plain-owner.ts). */
export const isPlainOwner = process.env.PLAIN_OWNER === 'true'

/** The folder with the `initdb` and `postgres` that the tests' databases are of; undefined for the embedded ones. */
export const POSTGRES_BIN = process.env.POSTGRES_BIN || undefined

/**
 * True where an extension that PostgreSQL does not ship can be created. The embedded PostgreSQL gets
 * packages/server/extensions/ as a further folder, and only PostgreSQL 18 and newer looks for extensions outside its
 * own folder.
 */
export const hasEveryExtension = !isPlainOwner && POSTGRES_BIN === undefined
