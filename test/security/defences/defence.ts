// What one switch is: a replacement that takes the defence against an attack away.

export interface Defence {
  /** What an attacker tries. */
  readonly attack: string
  readonly file: string
  /** Stands exactly once in the file. */
  readonly text: string
  readonly without: string
  /** The file of the test. */
  readonly tests: string
  /** The name of the test that fails. */
  readonly test: string
}

/** @param tests name of a file in test/security, without its endings */
export const inFile = (tests: string, list: readonly Omit<Defence, 'tests'>[]): readonly Defence[] =>
  list.map((defence) => ({ ...defence, tests: `test/security/${tests}.test.ts` }))
