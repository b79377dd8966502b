/** Measured for requests (docs/decisions/0001-runtime.md). */
export const FLAGS = [
  // Objects created at startup are long-lived, so V8 would also allocate similar objects of requests in the old
  // generation: a quarter more memory, and a tenth more time for each request.
  '--no-allocation-site-pretenuring',
  // On a machine with few cores, V8's threads compete with the thread that serves requests.
  '--no-parallel-scavenge',
  '--concurrent-turbofan-max-threads=1',
  // While V8 marks the old generation, it does not collect the young one. One marking thread keeps this time short.
  '--concurrent-marking-max-worker-num=1',
  // On large machines, V8 lets the old generation grow to four times its live objects before it collects it.
  '--heap-growing-percent=50',
];

/**
 * Take effect only at the start of a process. By default, garbage can take 100 MB in the young generation and 256 MB in
 * the old one before V8 collects it.
 */
export const MEMORY_FLAGS = ['--max-semi-space-size=4', '--initial-old-space-size=24'];
