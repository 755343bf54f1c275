// Loaded before every process under measurement: answers 'usage' with its processor time and memory.

process.on('message', (message) => {
  if (message !== 'usage') return
  const { user, system } = process.cpuUsage()
  process.send({ answer: { cpu: user + system, rss: process.memoryUsage.rss() } })
})
// The channel tells when the bench itself was killed.
process.once('disconnect', () => process.exit(1))
