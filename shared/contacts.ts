// Contact details and links in texts that people write before an application is accepted. private.masked_contacts() of
// supabase/schemas/contacts.sql stores such texts masked. With this file, forms show before sending what will be hidden.
// tests/database/contacts.test.ts holds the two equal. docs/security.md lists what is caught.

/** Stands for each contact detail. */
export const CONTACT_MARK = '•••'

const DIGITS =
  '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯੦੧੨੩੪੫੬੭੮੯૦૧૨૩૪૫૬૭૮૯๐๑๒๓๔๕๖๗๘๙０１２３４５６７８９⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⓪①②③④⑤⑥⑦⑧⑨〇一二三四五六七八九零壹贰叁肆伍陆柒捌玖𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡𝟢𝟣𝟤𝟥𝟦𝟧𝟨𝟩𝟪𝟫' +
  '𝟬𝟭𝟮𝟯𝟰𝟱𝟲𝟳𝟴𝟵𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿'
const LETTERS_FROM =
  'ABCDEFGHIJKLMNOPQRSTUVWXYZＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚАВСЕНІЈКМОРЅТУХавсеніјкморѕтухΑΒΕΗΙΚΜΝΟΡΤΥ' +
  'ΧαεικνορτυχБГДЁЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯÀÂÄÉÈÊÎÏÔÖÙÛÜÇÑÍÓÚÁıİ'
const LETTERS_TO =
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcehijkmopstyxabcehijkmopstyxabehikmnopty' +
  'xaeikvoptuxбгдёжзийлпфцчшщъыьэюяàâäéèêîïôöùûüçñíóúáii'
const SIGNS_FROM =
  '＠﹫．｡。․٫۔，،、：；（）［］／＿＋＂＇‐‑‒–—―−－｜\t\u00a0\u034f\u061c\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u202f\u205f\u2060\u2066\u2067\u2068\u2069\u3000\ufeff\ufe0f'
const SIGNS_TO = `@@......,,,:;()[]/_+"'--------|${' '.repeat(36)}\u20e3`

const FOLDED = new Map<string, string>([
  ...Array.from(DIGITS, (digit, place) => [digit, String(place % 10)] as const),
  ...Array.from(LETTERS_FROM, (letter, place) => [letter, LETTERS_TO[place] ?? ''] as const),
  ...Array.from(SIGNS_FROM, (from, place) => [from, SIGNS_TO[place] ?? ' '] as const),
])
/** The text as it looks: one BMP character for each, with digits of all scripts, look-alike letters, dashes and spaces in ASCII. */
const folded = (text: string) =>
  Array.from(text, (one) => FOLDED.get(one) ?? (one.length > 1 ? '\ufffd' : one)).join('')

const raw = String.raw
const sign = raw`[!-\u05ff\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff01-\uff5e]`
/** Characters without a look between characters of contact details, such as a zero-width space inside of an address. */
const INVISIBLE = new RegExp(
  raw`(?<=${sign})[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+(?=${sign})`,
  'g',
)

// The patterns are those of private.contact_patterns(), and are folded like the text.
const letter = raw`a-z0-9\u00c0-\u024f\u0370-\u052f`
const label = `[${letter}-]`
const local = `[${letter}._%+-]+`
const tail = raw`[!-~\u00a1-\u052f]*[a-z0-9/\u00c0-\u052f]`
/** Top-level domains that are hardly words of a language. Those that are, such as "in" or "me", need a path behind them. */
const DOMAINS =
  'com|net|org|ca|co|io|app|dev|info|biz|online|site|store|shop|xyz|link|live|club|pro|gg|uk|us|fr|de|ru|ua|cn|hk|tw|jp|kr|br|mx|ar|es|pt|ph|pk|au|nz|eu|ком|рф|كوم|कॉम'
const WORD_DOMAINS = 'me|in|it|to|so|at|be|id|is|my|no|ly|gl|ee|nu|am|fm|tv|cc|ws|sh|se|page|bio|chat'
const end = `(?!${label})`
const at = raw`(?: ?@ ?| ?[(\[{<] ?(?:@|at|arroba|arobase|ät|et|собака|آت|एट) ?[)\]}>] ?| (?:at|arroba|arobase|ät|собака|آت|एट|艾特) )`
const DOT_WORD = 'dot|punto|point|punkt|ponto|titik|точка|دوت|نقطة|डॉट|点'
const shownDot = raw`(?:\.| ?[(\[{<] ?(?:\.|${DOT_WORD}) ?[)\]}>] ?)`
const spelledDot = `(?: (?:${DOT_WORD}) |点)`
const dot = `(?:${shownDot}|${spelledDot})`
const SPELLED_DOMAINS = 'com|net|org|ca|io|ру|ком|كوم|कॉम'
const domainEnd = `(?:${shownDot}(?:${DOMAINS})|${spelledDot}(?:${SPELLED_DOMAINS}))${end}`
const MAIL_HOSTS = 'googlemail|gmail|hotmail|outlook|yahoo|icloud|protonmail|gmx|yandex|qq'
const MESSENGER =
  'telegram|whats ?app|watsapp|signal|viber|instagram|insta|ig|snapchat|snap|facebook|fb|messenger|we ?chat|discord|skype|tiktok|twitter|телеграмм?|телега|тг|ватсап|вотсап|вацап|вайбер|инстаграмм?|инста|व्हाट्सएप|व्हाट्सऐप|टेलीग्राम|इंस्टाग्राम|واتساب|واتس|تلغرام|تيليجرام|تليجرام|انستغرام|انستقرام|微信|电报|脸书'
const named = `(?:^|[^a-z])(?:${MESSENGER})`

const PATTERNS = [
  // Links and addresses with a scheme.
  raw`(?<![a-z0-9])(?:https?|hxxps?|ftp|whatsapp|tg|skype|viber|bitcoin) ?: ?// ?${tail}`,
  raw`(?<![a-z0-9])(?:mailto|tel|sms|whatsapp|skype|callto):${tail}`,
  raw`(?<![a-z0-9])www[0-9]? ?\. ?${tail}`,
  // E-mail addresses, also written as "theo (at) mail (dot) com" and "theo @ gmail".
  raw`${local}@(?:[a-z\u00c0-\u024f\u0370-\u052f]${label}*|${label}+\.[a-z]${label}+)(?:\.${label}+)*`,
  raw`${local} ?@ ?${label}+(?: ?\. ?${label}+)* ?\. ?(?:${DOMAINS}|${WORD_DOMAINS})${end}`,
  raw`${local}${at}${label}+(?:${dot}${label}+)*${domainEnd}`,
  raw`${local}${at}(?:${MAIL_HOSTS})${end}`,
  // Domains, also written as "theo dot com".
  raw`(?<![${letter}])(?![0-9]{1,2}\.)[${letter}]${label}*(?:${dot}${label}+)*${domainEnd}(?:[:/?#]${tail})?`,
  raw`(?<![${letter}])(?![0-9]{1,2}\.)[${letter}]${label}*(?:\.${label}+)*\.(?:${WORD_DOMAINS})/${tail}`,
  // Handles next to the name of a messenger.
  raw`(?<=${named}[^@\n]{0,24})@ ?[a-z0-9_.]*[a-z0-9_]`,
  raw`@[a-z0-9_.]*[a-z0-9_](?=[^@\n]{0,16}[^a-z](?:${MESSENGER})(?:$|[^a-z]))`,
  raw`(?<=${named} ?(?:id|user|username|nick|号)? ?[:=] ?)[a-z0-9_.-]{3,}[a-z0-9_]`,
]

const NUMERAL =
  'zero|one|two|three|four|five|six|seven|eight|nine|zéro|deux|trois|quatre|cinq|sept|huit|neuf|une|uno|un|cero|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun'
const digit = `(?:[0-9]|${NUMERAL})`
const gap = raw`(?:[ .,;:/|_*~•()+'"\u20e3-]|dash|tiret)`
/** Digits that may be a phone number: seven at least, with at most four signs between two of them. */
const NUMBERS = raw`(?:\+ ?|\( ?)?${digit}(?:${gap}{0,4}${digit}){6,}(?![0-9]*(?:st|nd|rd|th))\u20e3*`

const date = raw`(?:19|20)[0-9]{2}[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12][0-9]|0?[1-9])|(?:3[01]|[12][0-9]|0?[1-9])[-/.](?:3[01]|[12][0-9]|0?[1-9])(?:[-/.](?:(?:19|20)[0-9]{2}|[0-9]{2}))?\.?|20[0-9]{2}(?:1[0-2]|0[1-9])(?:3[01]|[12][0-9]|0[1-9])`
const time = raw`(?:2[0-4]|[01]?[0-9])[:.][0-5][0-9](?::[0-5][0-9])?|(?:2[0-4]|[01]?[0-9]) ?- ?(?:2[0-4]|[01]?[0-9])`
const sum = raw`[0-9]{1,3}[ ,.'][0-9]{3}(?:[.,][0-9]{2})?|[0-9]+[.,][0-9]{1,2}|(?:19|20)[0-9]{2}`
const item = `(?:${date}|${time}|${sum})`
/** Dates, times, years and amounts, alone or in a row, and lists such as "10, 20, 30". */
const NO_PHONE = raw`^\(?(?:${item}(?:[ ,;:/()-]{1,4}${item})*|[1-9][0-9](?:, ?[1-9][0-9]?)+)$`
/** Seven or eight digits are a phone number in these forms only. */
const SHORT_PHONE = raw`^(?:[+(].*|[0-9]{7,8}|[2-9][0-9]{2}[ .-]{1,3}[0-9]{4}|${digit}(?:${gap}+${digit})*)$`
/** Behind the number of a house: "204-2415 Victoria Avenue". */
const STREET = raw`^,? +(?:[0-9]{1,3}(?:st|nd|rd|th) |[a-z.'-]+ ){0,3}(?:avenue|ave|street|st|road|rd|drive|dr|crescent|cres|boulevard|blvd|way|lane|ln|place|pl|court|crt|bay|terrace|rue|chemin)(?![a-z])`

const expression = (pattern: string, flags = '') => new RegExp(folded(pattern), flags)
const contacts = PATTERNS.map((pattern) => expression(pattern, 'g'))
const numbers = expression(NUMBERS, 'g')
const digits = expression(digit, 'g')
const noPhone = expression(NO_PHONE)
const shortPhone = expression(SHORT_PHONE)
const street = expression(STREET)

/** Whether digits are a phone number; `after`: the text behind them. */
function isPhone(text: string, after: string) {
  const count = text.match(digits)?.length ?? 0
  if (noPhone.test(text)) return false
  return count > 8 || (shortPhone.test(text) && !(count === 7 && street.test(after)))
}

const HIDDEN = '\u0001'
const HIDDEN_OR_SHOWN = new RegExp(`${HIDDEN}+|[^${HIDDEN}]+`, 'g')

/** The text as the database stores it: each contact detail and link is replaced with "•••". */
export function maskContacts(text: string): string {
  const kept = text.replace(INVISIBLE, '')
  let look = folded(kept)
  // As long as before, so that a place in the look is the place in the text.
  for (const pattern of contacts) look = look.replace(pattern, (found) => HIDDEN.repeat(found.length))
  look = look.replace(numbers, (found, place: number, whole: string) => {
    const [after = ''] = whole.slice(place + found.length).split(numbers)
    return isPhone(found, after) ? HIDDEN.repeat(found.length) : found
  })
  const signs = Array.from(kept)
  return look.replace(HIDDEN_OR_SHOWN, (part, place: number) =>
    part.startsWith(HIDDEN) ? CONTACT_MARK : signs.slice(place, place + part.length).join(''),
  )
}
