// What this machine has left: memory, processors, and the disk that holds a folder. Read when asked, never watched.
import { statfs } from 'node:fs/promises'
import { availableParallelism, freemem, loadavg, totalmem, uptime } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

export interface MachineHealth {
  /** Bytes. What `process` holds is resident memory (RSS) and the part of it that is JavaScript heap. */
  readonly memory: {
    readonly totalBytes: number
    readonly freeBytes: number
    readonly processBytes: number
    readonly heapBytes: number
  }
  /** The file system of the data folder; `freeBytes` is what this user may still write. */
  readonly disk: { readonly totalBytes: number; readonly freeBytes: number }
  readonly cpu: {
    readonly count: number
    /** Averages over 1, 5 and 15 minutes; zeros on Windows. */
    readonly load: readonly [number, number, number]
    /** Share of one processor that this process used while it was measured, in percent. */
    readonly processPercent: number
  }
  readonly uptimeS: { readonly machine: number; readonly process: number }
}

/** How long the use of the processor is measured. */
const MEASURE_MS = 100

/**
 * @param folder on the disk that is meant
 * @throws Error of the file system, when the folder cannot be reached
 */
export async function machineHealth(folder: string): Promise<MachineHealth> {
  const [{ blocks, bavail, bsize }, processPercent] = await Promise.all([statfs(folder), measureCpu()])
  const { rss, heapUsed } = process.memoryUsage()
  const [one = 0, five = 0, fifteen = 0] = loadavg()
  return {
    memory: { totalBytes: totalmem(), freeBytes: freemem(), processBytes: rss, heapBytes: heapUsed },
    disk: { totalBytes: blocks * bsize, freeBytes: bavail * bsize },
    cpu: { count: availableParallelism(), load: [one, five, fifteen], processPercent },
    uptimeS: { machine: Math.round(uptime()), process: Math.round(process.uptime()) },
  }
}

async function measureCpu(): Promise<number> {
  const before = process.cpuUsage()
  const startedMs = performance.now()
  await delay(MEASURE_MS)
  const { user, system } = process.cpuUsage(before)
  const passedUs = (performance.now() - startedMs) * 1000
  return Math.round(((user + system) / passedUs) * 1000) / 10
}
