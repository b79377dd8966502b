import { serveRuns } from '../../../testkit/src/warm-program.ts';
import '../../../testkit/src/client-source.ts';

const { run } = await import('../../src/program.ts');

serveRuns(run);
