// The schemas of forms and answers. Everything imports zod from here: it would try whether the page may make code of
// text, which the content security policy forbids and browsers report.
import { config } from 'zod'

config({ jitless: true })

export { z } from 'zod'
