/** Signal numbers. For a process that a signal ended, shells report 128 plus this number. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Exits with the code that shells expect; cleanup runs in `exit` listeners. */
export function exitOnSignals(): void {
  for (const [signal, number] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || isInterruptible) process.exit(128 + number);
    });
  }
}

let isInterruptible = true;

/** Ignores Ctrl-C while another program, such as a pager, handles it. */
export async function withoutInterrupts<T>(work: () => Promise<T>): Promise<T> {
  isInterruptible = false;
  try {
    return await work();
  } finally {
    isInterruptible = true;
  }
}
