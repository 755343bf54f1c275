// Completes a language's file of texts at build time: English stands in for every key that a translation lacks,
// because browsers never load the English files in addition to another language's.

type Texts = { [key: string]: string | Texts }

const PLURAL = /_(zero|one|two|few|many|other)$/

/** `texts` with each missing key of `english`. Plural forms that `texts` has in its own grammar are not added to. */
export function withEnglish(texts: Texts, english: Texts): Texts {
  const ownPlurals = new Set(Object.keys(texts).map((key) => key.replace(PLURAL, '_')))
  const complete: Texts = { ...texts }
  for (const [key, original] of Object.entries(english)) {
    const own = texts[key]
    if (own === undefined || own === '') {
      if (own === '' || !PLURAL.test(key) || !ownPlurals.has(key.replace(PLURAL, '_')))
        complete[key] = original
    } else if (typeof own === 'object' && typeof original === 'object') {
      complete[key] = withEnglish(own, original)
    }
  }
  return complete
}
