// `[storage]` of config.toml: https://supabase.com/docs/guides/local-development/cli/config#storage-config
import { flag, named, size, table, text, texts } from './values.ts'

const bucket = table({
  public: flag.default(false),
  file_size_limit: size.optional(),
  allowed_mime_types: texts.optional(),
  /** Folder, relative to supabase/, whose files are put into the bucket: when it is made, and into an empty one where seeds run. */
  objects_path: text.optional(),
})

/** Sizes are bytes after validation. */
export const storage = table({
  enabled: flag.default(true),
  file_size_limit: size.default(50 * 1024 * 1024),
  buckets: named(bucket),
  image_transformation: table({ enabled: flag.default(true) }),
})
