// Makes a file name durable by syncing its folder.
import { open } from 'node:fs/promises'

/** Makes a folder's names, or a file's bytes, survive a power cut. Windows has no such call for folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
