// A declaration that cannot be compiled. Boot only: it names the declaration and, for a clash, both places.

export class CompileError extends Error {
  constructor(where: string, problem: string) {
    super(`${where}: ${problem}`)
    this.name = 'CompileError'
  }
}
