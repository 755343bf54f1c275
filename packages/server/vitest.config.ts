// The tests of this package alone: `npm test -w packages/server`.
import { defineConfig } from 'vitest/config'
import { project, RUN, SERVER_TESTS } from '../../vitest.project.ts'

export default defineConfig({
  test: { ...project('server', SERVER_TESTS, ['tests/support/global-setup.ts']).test, ...RUN },
})
