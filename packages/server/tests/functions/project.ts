// A separate throwaway project, as `--workdir` runs it: functions and settings, no migrations of ours.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createTestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

export interface Project extends TestServer {
  /** Writes a file below supabase/. */
  write(file: string, content: string): void
}

/** Starts the server on a project with these files below supabase/; `stop` removes everything. */
export async function startProject(
  files: Record<string, string>,
  env: Record<string, string> = {},
  start = startTestServer,
): Promise<Project> {
  // Deno reads nothing below /dev, where temporary folders may be.
  const workdir = mkdtempSync(path.join('/tmp', 'meadowlark-project-'))
  const write = (file: string, content: string) => {
    const full = path.join(workdir, 'supabase', file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, content)
  }
  for (const [file, content] of Object.entries(files)) write(file, content)
  const empty = await createTestDatabase(null)
  const server = await start({ workdir, env: { DATABASE_URL: empty.url, ...env } })
  return {
    ...server,
    write,
    async stop() {
      await server.stop()
      await empty.drop()
      rmSync(workdir, { recursive: true, force: true })
    },
  }
}
