import type { describeMachine } from '../machine.ts';
import type { Part } from './recordings.ts';

/** What is measured, and how many of it there are. */
export const SIDES = ['pgbench', 'one process', 'two processes'] as const;
export type Side = (typeof SIDES)[number];

export type PostgresResults = {
  date: string;
  commit: string;
  machine: ReturnType<typeof describeMachine>;
  rounds: number;
  seconds: number;
  /** Requests or scripts in a second: medians, and medians of the rounds' ratios to pgbench. */
  rows: { part: Part; side: Side; perSecond: number; ratio: number }[];
};
