import { areMetricsEnabled, createCounter, createGauge, createHistogram } from '../../lib/metrics.ts';
import type { Exchange } from './exchange.ts';

/** The route label of unknown paths. With the paths as labels, clients could create any number of series. */
export const UNKNOWN_ROUTE = 'unknown';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

// Names that begin with `http` are from OpenTelemetry (opentelemetry.io/docs/specs/semconv/http).

const durations = createHistogram({
  name: 'http_server_request_duration_seconds',
  help: 'Time from the arrival of a request to the end of its response.',
  labels: ['http_request_method', 'http_route', 'http_response_status_code'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
});

let active = 0;
createGauge({ name: 'http_server_active_requests', help: 'Requests without a complete response.' }).watch(() => [
  [{}, active],
]);

const errors = createCounter({
  name: 'property_listings_request_errors_total',
  help: 'Error responses by code; "overload" if too many requests were waiting.',
  labels: ['code'],
});

/** @returns a function to call when the response has ended; undefined if metrics are disabled */
export function measureRequest(exchange: Exchange, route: string): (() => void) | undefined {
  if (!areMetricsEnabled()) return undefined;
  const { incoming, outgoing, arrivedMs } = exchange;
  active += 1;
  return () => {
    active -= 1;
    const { method = '' } = incoming;
    const labels = {
      http_request_method: METHODS.has(method) ? method : '_OTHER',
      http_route: route,
      // Empty if the client disconnected before the response.
      http_response_status_code: outgoing.headersSent ? outgoing.statusCode : '',
    };
    durations.observe(labels, (performance.now() - arrivedMs) / 1_000);
    const code = exchange.isOverload ? 'overload' : exchange.errorCode;
    if (code !== undefined) errors.add({ code });
  };
}
