import { createPersonas } from './personas.ts';
import { endingTasks, type Task, tasksOf } from './tasks.ts';
import { type Asking, isReading, Trier } from './trier.ts';
import type { World } from './world.ts';

const AT_ONCE = 4;

/** Lets everybody ask for what is not theirs, in every place, and for what never was: the answers must be the same. */
export async function askForTheirs(world: World, isThorough: boolean): Promise<Asking> {
  const asking: Asking = {
    asked: new Map(),
    operations: new Set(),
    named: new Map(),
    personas: 0,
    requests: 0,
    bytes: 0,
  };
  const personas = createPersonas(world);
  asking.personas = personas.length;
  const trier = new Trier(world, asking);
  const tasks = personas.flatMap((persona) => tasksOf(persona, isThorough));
  const isRead = ({ ask }: Task) => isReading(ask);
  // While nobody writes, answers depend on nothing else.
  await inParallel(tasks.filter(isRead), (task) => trier.compare(task));
  for (const task of tasks.filter((each) => !isRead(each))) await trier.compare(task);
  for (const task of await endingTasks(world)) await trier.compare(task);
  return asking;
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
