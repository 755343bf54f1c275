// Another project on the marketplace's server, with its plugins.
import { startProject as start } from '../../../packages/server/tests/functions/project.ts'
import { startTestServer } from '../../support/server.ts'

export type { Project } from '../../../packages/server/tests/functions/project.ts'

/** Starts the server on a project with these files below supabase/; `stop` removes everything. */
export const startProject = (files: Record<string, string>, env?: Record<string, string>) =>
  start(files, env, startTestServer)
