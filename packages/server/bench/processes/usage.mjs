// Loaded before every process under measurement: answers 'usage' with its processor time and memory, 'heap' with what it
// still holds after everything that nobody needs was collected.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

process.on('message', (message) => {
  if (message === 'usage') {
    const { user, system } = process.cpuUsage()
    process.send({ answer: { cpu: user + system, rss: process.memoryUsage.rss() } })
  }
  if (message === 'heap') {
    collectGarbage()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send({
      answer: { heap: heapUsed, external, rss, handles: process.getActiveResourcesInfo().length },
    })
  }
})
// The channel tells when the bench itself was killed.
process.once('disconnect', () => process.exit(1))

function collectGarbage() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
