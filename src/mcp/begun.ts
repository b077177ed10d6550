// A call that the hot path began and cannot finish: its tool asks something, or answers in a form that one of the eras writes
// otherwise. The SDK goes on from what came out; the tool is not run again.
import type { Outcome } from '../runtime/outcome.ts'

export class Begun {
  #outcome: Outcome | undefined

  constructor(outcome: Outcome) {
    this.#outcome = outcome
  }

  /** What came out, once. Whatever follows is a round of its own. */
  take(): Outcome | undefined {
    const outcome = this.#outcome
    this.#outcome = undefined
    return outcome
  }
}
