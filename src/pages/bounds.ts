// Bounds that a form tells the browser; who reads the form checks them again.

export const PASSWORD_LENGTH_MIN = 12
/** Code points; the browser counts UTF-16 units, so it stops a little later where it matters. */
export const PASSWORD_LENGTH_MAX = 512
