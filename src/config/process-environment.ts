// The environment of this process, read here and nowhere else. On its own, because a command such as `crow --version` needs
// nothing else of the configuration.

/** A copy of it. */
export function environment(): Record<string, string | undefined> {
  return { ...process.env }
}
