// The tests of this package alone: `npm test -w packages/server`.
import { defineConfig } from 'vitest/config'
import { project } from '../../vitest.project.ts'

export default defineConfig(project('server', ['{src,tests}/**/*.test.ts']))
