// A call that has to wait for something. The caller gets its answer at the first of: the result, the deadline, the
// caller's own abort. Work that goes on after an early answer is discarded, logged, and gives its guards back under hard limits.
import type { Deadline } from './deadlines.ts'
import { fault, type ToolFault } from './fault.ts'
import type { Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import { asFault } from './steps/faults.ts'
import { refuse } from './steps/answer.ts'

export class Flight {
  readonly #run: Run
  readonly #deadlineMs: number
  #resolve: (outcome: Outcome) => void = () => undefined
  #answered = false
  #deadline: Deadline | undefined
  #grace: Deadline | undefined
  #hold: Deadline | undefined

  constructor(run: Run, deadlineMs: number) {
    this.#run = run
    this.#deadlineMs = deadlineMs
  }

  /**
   * @param work settles when the handler truly has ended
   * @param finish turns its value, or the error it ended with, into the outcome; never throws
   */
  launch<Value>(work: PromiseLike<Value>, finish: (value: Value) => Outcome): Promise<Outcome> {
    const answer = new Promise<Outcome>((resolve) => {
      this.#resolve = resolve
    })
    work.then(
      (value) => this.#land(finish(value)),
      (error: unknown) => this.#land(this.#failed(error)),
    )
    this.#run.watchCaller(() => this.#answerEarly(fault('CANCELLED', 'The caller cancelled the call.')))
    return answer
  }

  /** Starts the clock for the handler. Time spent in queues has its own bound. */
  armDeadline(): void {
    if (this.#answered || this.#deadline !== undefined) return
    this.#deadline = this.#run.engine.deadlines.arm(this.#deadlineMs, () => {
      this.#run.abort(new DOMException('The deadline of the call has passed.', 'TimeoutError'))
      this.#answerEarly(fault('TIMEOUT', `The call took longer than ${this.#deadlineMs} ms and was given up.`))
    })
  }

  #failed(error: unknown): Outcome {
    const failure = asFault(this.#run, error)
    this.#run.probe?.step('handle', false)
    return refuse(this.#run, failure)
  }

  #land(outcome: Outcome): void {
    const run = this.#run
    this.#disarm()
    run.finish()
    if (this.#answered) return this.#late(outcome)
    this.#answered = true
    run.probe?.end(run.note ?? { outcome: 'ok' })
    this.#resolve(outcome)
  }

  #answerEarly(reason: ToolFault): void {
    if (this.#answered) return
    this.#answered = true
    const { engine, pass, probe } = this.#run
    const outcome = refuse(this.#run, reason)
    probe?.end(this.#run.note ?? { outcome: 'fault' })
    this.#disarm()
    this.#grace = engine.deadlines.arm(engine.abandonedGraceMs, () => pass.takeBackSlot())
    if (pass.hasKey) this.#hold = engine.deadlines.arm(engine.lockHoldMs, () => pass.forceUnlock())
    this.#resolve(outcome)
  }

  #late(outcome: Outcome): void {
    const { engine, target, probe, started } = this.#run
    if (!started) return
    const ok = outcome.kind === 'reply' && outcome.reply.isError !== true
    engine.log.warn(
      { server: target.server, tool: target.publicName, ok },
      'a call ended after its answer was given; its result is discarded',
    )
    probe?.late(ok)
  }

  #disarm(): void {
    for (const deadline of [this.#deadline, this.#grace, this.#hold]) {
      if (deadline !== undefined) this.#run.engine.deadlines.disarm(deadline)
    }
  }
}
