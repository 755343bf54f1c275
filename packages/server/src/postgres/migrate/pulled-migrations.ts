// Removes statements of pulled migrations about the storage service's own tables and functions. `supabase db pull`
// writes down how its release differs from another one, which would break the service here. Also removes a setting
// that only a newer PostgreSQL knows.

/** Tables that no project reads or writes. */
const TABLE = `"?storage"?\\."?(migrations|prefixes|iceberg_\\w+|buckets_\\w+|vector_indexes|s3_multipart_\\w+)"?`

/** Functions that the service brings along, in this release or an older one. */
const routine = `"?storage"?\\."?(${[
  ...[
    'add_prefixes',
    'allow_any_operation',
    'allow_only_operation',
    'can_insert_object',
    'delete_\\w+',
    'extension',
  ],
  ...[
    'enforce_bucket_name_length',
    'filename',
    'foldername',
    'get_common_prefix',
    'get_level',
    'get_prefix(es)?',
  ],
  ...['get_size_by_bucket', 'list_\\w+_with_delimiter', 'lock_top_prefixes', 'objects_\\w+', 'operation'],
  ...['prefixes_\\w+', 'protect_delete', 'search\\w*', 'update_updated_at_column'],
].join('|')})"?`

const left = [
  `(grant|revoke)\\s[^;]*?\\son\\s+(table\\s+)?${TABLE}`,
  `(create|alter|drop)\\s+table\\s+(if\\s+(not\\s+)?exists\\s+)?(only\\s+)?${TABLE}`,
  `create\\s+(unique\\s+)?index\\s[^;]*?\\son\\s+${TABLE}`,
  `create\\s+(unique\\s+)?index\\s[^;]*?\\son\\s+"?storage"?\\."?objects"?[^;]*\\blevel\\b`,
  `alter\\s+table\\s+(if\\s+exists\\s+)?(only\\s+)?"?storage"?\\."?(objects|buckets)"?\\s+drop\\s+(column|constraint)`,
  `drop\\s+(function|index|type)\\s+(if\\s+exists\\s+)?"?storage"?\\.`,
  `create\\s+(or\\s+replace\\s+)?function\\s+${routine}\\s*\\(`,
  `create\\s+(or\\s+replace\\s+)?trigger\\s[^;]*?\\sexecute\\s+(function|procedure)\\s+${routine}`,
  `drop\\s+trigger\\s[^;]*?\\son\\s+"?storage"?\\."?(buckets|objects|prefixes)"?$`,
].map((one) => new RegExp(`^${one}`, 'i'))

/** The storage service's own triggers; a project may well drop one that it made. */
const OWN_TRIGGER =
  /^drop\s+trigger\s+(if\s+exists\s+)?"?(enforce_bucket_name_length_trigger|objects_(delete_delete|insert_create|update_create)_prefix|prefixes_\w+|protect_\w+_delete|update_objects_updated_at)"?\s/i

/** pg_dump 17's first statement, which an older PostgreSQL does not know. There is no other limit here. */
export const isUnlimited = (statement: string): boolean =>
  /^set\s+transaction_timeout\s*=\s*0$/i.test(statement)

/** Whether a statement is such a one, to be left out. */
export function concernsStorageItself(statement: string): boolean {
  if (/^drop\s+trigger\b/i.test(statement) && !OWN_TRIGGER.test(statement)) return false
  return left.some((one) => one.test(statement))
}
