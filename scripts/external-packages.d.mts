// Types of external-packages.mjs.
import type { Plugin } from 'esbuild'

export const externalPackages: Plugin
