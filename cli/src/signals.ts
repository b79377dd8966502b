/** The numbers that shells add to 128. */
const ENDING = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Ends the program as a shell expects it; what was begun is tidied up at its exit. */
export function endOnSignals(): void {
  for (const [signal, number] of Object.entries(ENDING)) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || isInterruptible) process.exit(128 + number);
    });
  }
}

let isInterruptible = true;

/** Leaves Ctrl-C to another program in the same terminal. */
export async function withoutInterrupts<T>(work: () => Promise<T>): Promise<T> {
  isInterruptible = false;
  try {
    return await work();
  } finally {
    isInterruptible = true;
  }
}
