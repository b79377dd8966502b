import { formatTable } from '../formats.ts';
import { formatTargets } from '../report.ts';
import type { Target } from '../targets.ts';
import type { WebhookResults } from './bench.ts';
import { ENDPOINTS } from './fairness.ts';

export function listWebhookTargets({ fairness, ...results }: WebhookResults): Target[] {
  const { isQuiet } = results;
  const ms = { limit: 'at most', unit: 'ms' } as const;
  const fair = { ...ms, isQuiet: fairness.isQuiet };
  const many = `${ENDPOINTS.toLocaleString('en-US')} endpoints`;
  return [
    { name: 'deliveries', limit: 'at least', value: 1_000, unit: '/s', got: results.deliveriesPerSecond, isQuiet },
    { name: 'arrival: p50', ...ms, value: 100, got: results.arrivalP50Ms, isQuiet },
    {
      name: 'p50 of a create without an endpoint ÷ with one',
      limit: 'at least',
      value: 0.97,
      unit: '',
      got: results.latencyRatio,
      isQuiet,
    },
    { name: `${many}: p99 of arrival at healthy ones`, ...fair, value: 1_000, got: fairness.arrivalP99Ms },
    { name: `${many}: events that are missing there`, ...fair, unit: '', value: 0, got: fairness.missing },
    { name: `${many}: p99 of GET`, ...fair, value: 50, got: fairness.getP99Ms },
  ];
}

export function formatWebhookReport(results: WebhookResults): string {
  const { date, commit, machine, rounds, fairness } = results;
  const [list = Number.NaN, create = Number.NaN] = results.neighboursP99Ms;
  const kilobytes = fairness.memoryGrowthBytesPerEndpoint / 1000;
  return [
    `${date}  commit ${commit}  ${machine.cpu}, ${machine.cores} cores, node ${machine.node}; one core for the service`,
    `Medians of ${rounds} rounds.`,
    '',
    formatTable([
      [
        'during deliveries: p99 of a list and of a create, 200 a second each',
        `${list.toFixed(1)} and ${create.toFixed(1)} ms`,
      ],
      ['arrival at 100 events a second: p99', `${results.arrivalP99Ms.toFixed(1)} ms`],
      ['creates per second with an endpoint ÷ without, on one busy core', results.throughputRatio.toFixed(2)],
      ['1,000 endpoints: deliveries a second to healthy ones', fairness.deliveriesPerSecond.toFixed(0)],
      ['1,000 endpoints: p50 of arrival', `${fairness.arrivalP50Ms.toFixed(1)} ms`],
      ['1,000 endpoints: p99 of a create', `${fairness.createP99Ms.toFixed(1)} ms`],
      ['1,000 endpoints: processor', `${((fairness.busy ?? Number.NaN) * 100).toFixed(0)}% of a core`],
      ['1,000 endpoints: memory growth per endpoint', `${kilobytes.toFixed(0)} kB`],
    ]),
    '',
    formatTargets(listWebhookTargets(results)),
  ].join('\n');
}
