// The string formats that input schemas may name (JSON Schema 2020-12 §7.3), checked for real.

type FormatCheck = (text: string) => boolean

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
/** RFC 3339, but seconds may be left out, as our own replies leave them out: what was read there can be given back. */
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

const checks: Readonly<Record<string, FormatCheck>> = {
  date: isDate,
  time: (text) => timePattern.test(text),
  'date-time': (text) =>
    isDate(text.slice(0, 10)) && /^[T ]$/i.test(text.charAt(10)) && timePattern.test(text.slice(11)),
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  email: (text) => text.length <= 254 && /^[^\s@<>"]{1,64}@[^\s@<>".]+(\.[^\s@<>".]+)*$/u.test(text),
  uri: (text) => URL.canParse(text),
}

export function isKnownFormat(name: string): boolean {
  return Object.hasOwn(checks, name)
}

/** Whether `text` has the named format; false for an unknown name. */
export function hasFormat(name: string, text: string): boolean {
  return checks[name]?.(text) ?? false
}

/** A real day of the proleptic Gregorian calendar. */
function isDate(text: string): boolean {
  const match = datePattern.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (month < 1 || month > 12 || day < 1) return false
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  return day <= days
}
