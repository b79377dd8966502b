import { join } from 'node:path';
import { type Place, say } from './place.ts';
import { startServer } from './processes.ts';
import { writeRecordings } from './recordings.ts';
import { measureCompleteList, measureScenario, type Round } from './rounds.ts';
import type { Fixture, Scenarios } from './scenarios.ts';

const BARE_SERVER = join(import.meta.dirname, 'bare-server.ts');

/**
 * Starts the bare server with the recorded responses, and measures both servers in turn.
 * @returns the rounds of each scenario, by name
 */
export async function takeTurns(
  place: Place,
  { service, readerListings: rows }: Fixture,
  { all: scenarios, completeList }: Scenarios,
): Promise<Map<string, Round[]>> {
  const file = join(place.directory, 'recordings.json');
  writeRecordings(file, [...scenarios.flatMap(({ recordings }) => recordings), completeList]);
  const bare = await startServer({ args: [BARE_SERVER, file] }, place.cores, join(place.directory, 'bare.log'));
  const servers = { service, bare };
  const turns = [
    ...scenarios.map((scenario) => ({
      name: scenario.name,
      measure: () => measureScenario(scenario, servers, place.seconds),
    })),
    {
      name: `complete list of ${rows.toLocaleString('en-US')}`,
      measure: () => measureCompleteList(completeList, rows, servers, place.seconds),
    },
  ];
  const rounds = new Map<string, Round[]>(turns.map(({ name }) => [name, []]));
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds}`);
    for (const { name, measure } of turns) rounds.get(name)?.push(await measure());
  }
  await bare.stop();
  return rounds;
}
