// Characters that write no letter of their own and that a terminal obeys, or that show a line in another order than it is.

/** Controls, formats (bidirectional ones among them), separators of lines and paragraphs. */
export const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
