// The icon: a crow's head on a dark ground, drawn in a few lines so that it needs no file and no other size.

export const ICON_SVG = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Crow">',
  '<rect width="64" height="64" rx="14" fill="#1b1f27"/>',
  '<path fill="#e8eaf0" d="M14 50c0-18 8-32 24-32 7 0 11 4 13 9l9 4-10 3c-2 10-10 12-18 16z"/>',
  '<circle cx="41" cy="27" r="3" fill="#1b1f27"/>',
  '</svg>',
].join('')
