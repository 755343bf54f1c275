// The interface for programs that run the server with plugins: `import { start } from '@meadowlark/server'`.
export { defaultPlugins } from './cli/default-plugins.ts'
export { type StartCommand, start } from './cli/start.ts'
export { type Config, ConfigError, loadConfig } from './config/config.ts'
export type { Route, Service } from './http/route.ts'
export { type RunningServer, type StartOptions, startServer } from './main.ts'
export { createLog } from './observability/log.ts'
export type { Plugin, PluginContext } from './plugin.ts'
