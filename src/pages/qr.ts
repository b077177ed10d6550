// A QR code as an inline picture: no script, no style, no other host, and dark on light whatever the colours of the page.
import { html, type Html } from '../lib/html.ts'

/** Light squares around the code, as the symbology asks for (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** @param label what the picture is, for those who do not see it */
export async function qrCode(text: string, label: string): Promise<Html> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#ffffff" />
    <path d="${path}" fill="#000000" />
  </svg>`
}
