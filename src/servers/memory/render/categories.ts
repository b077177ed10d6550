// Renders how many memories each category holds. A category is text that somebody stored, so it is quoted and cut.
import { fenceAttribute } from './fence.ts'
import { preview } from './excerpt.ts'

const NAME_CHARS_MAX = 60

/** `"general" 3, "preference" 1, and 4 more`, most first. */
export function categoryCounts(categories: readonly { category: string; count: number }[], shownMax: number): string {
  const shown = categories
    .slice(0, shownMax)
    .map(({ category, count }) => `"${fenceAttribute(preview(category, NAME_CHARS_MAX))}" ${count}`)
  const more = categories.length > shownMax ? [`and ${categories.length - shownMax} more`] : []
  return [...shown, ...more].join(', ')
}
