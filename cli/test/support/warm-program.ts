import { serveRuns } from '../../../testkit/src/warm-program.ts';
import './source.ts';

const { run } = await import('../../src/program.ts');

serveRuns(run);
