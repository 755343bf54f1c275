// A separate throwaway project, as `--workdir` runs it: functions and settings, no migrations of ours.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createTestDatabase } from '../../support/database.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

export type { Project } from '@meadowlark/server/tests/functions/project.ts'

/** Starts the server on a project with these files below supabase/; `stop` removes everything. */
export const startProject = (files: Record<string, string>, env?: Record<string, string>) =>
  start(files, env, startTestServer)
