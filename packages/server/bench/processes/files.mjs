// A bare file copy through Node's HTTP: PUT writes the body to a file, GET sends it, as the first page of Node's
// documentation would. `PUT ?sync` also does what it takes for the file to survive a power cut.
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [folder] = process.argv.slice(2)

async function sync(path) {
  const handle = await open(path, 'r')
  await handle.sync()
  await handle.close()
}

const server = createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, 'http://localhost')
  const path = join(folder, pathname.slice(1))
  if (request.method === 'PUT') {
    const target = search === '?sync' ? `${path}.new` : path
    await pipeline(request, createWriteStream(target))
    if (search === '?sync') {
      await sync(target)
      await rename(target, path)
      await sync(dirname(path))
    }
    response.end('{}')
    return
  }
  response.setHeader('content-length', (await stat(path)).size)
  await pipeline(createReadStream(path), response)
})
server.listen(0, '127.0.0.1', () => process.send({ ready: { port: server.address().port } }))
