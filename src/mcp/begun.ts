// A call that the hot path began and cannot finish: its tool asks something, or answers in a form that one of the eras writes
// otherwise, or has something to say before it answers. The SDK goes on from there; the tool is not run again.
import type { Call, Outcome } from '../runtime/outcome.ts'

type Said = Pick<Call, 'progress' | 'notify'>
type Saying = (to: Said) => void

/** What is said before anybody can take it, per call; of more, the newest is kept. */
const KEPT_MAX = 64

/** What a tool says while it runs. Nothing goes out unless it says something, and then the rest of the call goes the long way. */
export class Talk implements Said {
  #onFirst: (() => void) | undefined
  #kept: Saying[] = []
  #to: Said | undefined
  #hasBegun = false

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  readonly progress: NonNullable<Call['progress']> = (...said) => this.#say((to) => to.progress?.(...said))
  readonly notify: NonNullable<Call['notify']> = (...said) => this.#say((to) => to.notify?.(...said))

  /** Calls back when something is said, at once when it was already. */
  onFirst(call: () => void): void {
    this.#onFirst = call
    if (this.#hasBegun) call()
  }

  /** Passes on what was said, and what will be. */
  attach(to: Said): void {
    this.#to = to
    for (const saying of this.#kept) saying(to)
    this.#kept = []
  }

  #say(saying: Saying): void {
    if (this.#to !== undefined) return saying(this.#to)
    this.#kept.push(saying)
    if (this.#kept.length > KEPT_MAX) this.#kept.shift()
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#onFirst?.()
  }
}

export class Begun {
  #outcome: Outcome | Promise<Outcome> | undefined
  readonly #talk: Talk | undefined

  constructor(outcome: Outcome | Promise<Outcome>, talk?: Talk) {
    this.#outcome = outcome
    this.#talk = talk
  }

  /** What came out or will, once; whatever follows is a round of its own. @param to takes what the tool says meanwhile */
  take(to: Said): Outcome | Promise<Outcome> | undefined {
    const outcome = this.#outcome
    this.#outcome = undefined
    if (outcome !== undefined) this.#talk?.attach(to)
    return outcome
  }
}
