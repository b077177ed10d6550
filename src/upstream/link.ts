// Moved to src/lib/link.ts, where everything that makes or uses connections can see it.
export * from '../lib/link.ts'
