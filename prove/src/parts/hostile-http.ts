import { formatCount, formatGrowth } from '../../../bench/src/formats.ts';
import { generator } from '../../../testkit/src/random-json.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { createTenant, serve } from '../service.ts';
import { assault } from './hostile-http/assault.ts';
import { type Attempt, cutAttempts, wholeAttempts } from './hostile-http/attempts.ts';
import { BODIES } from './hostile-http/bodies.ts';
import { FIELDS } from './hostile-http/fields.ts';
import { START_LINES } from './hostile-http/start-lines.ts';
import { targetsOf } from './hostile-http/streams.ts';

const STREAMS = [...START_LINES, ...FIELDS, ...BODIES];
const REFUSED = STREAMS.filter(({ requests, pieces }) => requests < pieces.length);
const SMALL = { streams: 100, cuts: 1_200 };
const CUTS_OF_WORKERS = 20_000;

export const hostileHttp: Part = {
  name: 'hostile-http',
  title: 'Hostile HTTP',
  promise: 'Ambiguous HTTP is rejected and cannot smuggle a request.',
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const { key } = await createTenant(trial);
  const random = generator(trial.seed);
  const targets = targetsOf(key);
  const wholes = wholeAttempts(STREAMS, targets);
  const cuts = chooseCuts(trial, wholes, random);
  trial.say(`${formatCount(wholes.length)} whole streams, and ${formatCount(cuts.length)} cut ones`);
  const { growthBytes, requests } = await assault(await serve(trial), key, wholes, cuts);
  const figures: [string, string][] = [
    ['streams', formatCount(STREAMS.length)],
    ['of these, rejected with 400 or 431 and a closed connection', formatCount(REFUSED.length)],
    ['sent to', targets.map(({ name }) => name).join(', ')],
    ['connections with a whole stream and a request after it', formatCount(wholes.length)],
    ['connections cut at a byte: half-closed', countBy(cuts, 'half-closes')],
    ['… disconnected', countBy(cuts, 'disconnects')],
    ['… reset', countBy(cuts, 'resets')],
    ['… continued in another packet', countBy(cuts, 'continues')],
    ['requests in the log', formatCount(requests)],
    ['memory growth while streams were cut', formatGrowth(growthBytes)],
  ];
  if (trial.size === 'full') {
    trial.say('the same with two workers, and fewer cut streams');
    const some = sample(cuts, CUTS_OF_WORKERS, random);
    await assault(await serve(trial, { WORKERS: '2' }), key, wholes, some);
    figures.push(['connections to two workers', formatCount(wholes.length + some.length)]);
  }
  return {
    tried: `${formatCount(STREAMS.length)} streams of raw bytes to ${targets.length} targets, whole and cut at every byte (${formatCount(cuts.length)} cuts; long streams at 750 places)`,
    figure: '0 crashes, 0 5xx responses, 0 ambiguous streams accepted, 0 smuggled requests executed',
    figures,
  };
}

function chooseCuts({ size }: Trial, wholes: readonly Attempt[], random: () => number): Attempt[] {
  const all = size === 'full' ? wholes : sample(wholes, SMALL.streams, random);
  const [writing = [], others = []] = [true, false].map((isWriting) =>
    all.filter(({ target }) => (target.post.status === 201) === isWriting),
  );
  const cuts = [
    ...cutAttempts(writing, ['half-closes'], random),
    ...cutAttempts(writing, ['disconnects', 'resets'], random),
    ...cutAttempts(writing, ['continues'], random),
    ...cutAttempts(others, ['half-closes', 'disconnects', 'half-closes', 'resets'], random),
  ];
  return size === 'full' ? cuts : sample(cuts, SMALL.cuts, random);
}

function sample(attempts: readonly Attempt[], count: number, random: () => number): Attempt[] {
  return Array.from({ length: count }, () => attempts[Math.floor(random() * attempts.length)] ?? []).flat();
}

function countBy(attempts: readonly Attempt[], asked: Attempt['way']): string {
  return formatCount(attempts.filter(({ way }) => way === asked).length);
}
