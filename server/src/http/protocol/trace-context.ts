import type { IncomingHttpHeaders } from 'node:http';

/** W3C Trace Context, §3.2: version, trace id, and the id of the caller's span. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/;

export interface TraceContext {
  traceId: string;
  /** The caller's span. */
  parentSpanId: string;
}

/**
 * The caller's trace; undefined without a valid `traceparent`. An invalid one is ignored, as the
 * standard requires.
 */
export function findTraceContext({ traceparent }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, parentSpanId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || parentSpanId === undefined ? undefined : { traceId, parentSpanId };
}
