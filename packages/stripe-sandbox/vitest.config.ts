// The tests of this package alone: `npm test -w packages/stripe-sandbox`.
import { defineConfig } from 'vitest/config'
import { project } from '../../vitest.project.ts'

export default defineConfig(project('stripe-sandbox', ['{src,tests}/**/*.test.ts']))
