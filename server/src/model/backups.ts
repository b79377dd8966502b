const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const SCHEDULE = /^(?:hourly|(?:daily|weekly (?<day>[a-z]+)) (?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d))$/;

/** When backups are due: every hour, or at a local time every day or on one day of the week. */
export type BackupSchedule = 'hourly' | { weekday: number | undefined; hour: number; minute: number };

/** Parses a schedule such as `hourly`, `daily 02:30`, or `weekly sunday 02:30`. */
export function parseSchedule(text: string): BackupSchedule | undefined {
  const { groups } = SCHEDULE.exec(text) ?? {};
  if (text === 'hourly') return text;
  if (groups === undefined) return undefined;
  const weekday = groups.day === undefined ? undefined : WEEKDAYS.indexOf(groups.day);
  return weekday === -1 ? undefined : { weekday, hour: Number(groups.hour), minute: Number(groups.minute) };
}

/** The last time at which a backup was due, in UTC milliseconds. */
export function lastDueAt(schedule: BackupSchedule, nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  if (schedule === 'hourly') return new Date(year, month, day, now.getHours()).getTime();
  const { weekday, hour, minute } = schedule;
  const days = weekday === undefined ? 0 : (now.getDay() - weekday + 7) % 7;
  const dueMs = new Date(year, month, day - days, hour, minute).getTime();
  const period = weekday === undefined ? 1 : 7;
  return dueMs <= nowMs ? dueMs : new Date(year, month, day - days - period, hour, minute).getTime();
}

/** The start of the period that contains `at`, in local time, by the name of the period in `BACKUP_KEEP`. */
const PERIODS = {
  hourly: (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate(), at.getHours()),
  daily: (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()),
  weekly: (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate() - ((at.getDay() + 6) % 7)),
  monthly: (at: Date) => new Date(at.getFullYear(), at.getMonth()),
};

/** How many periods of each kind keep their newest backup. */
export type BackupKeep = { period: keyof typeof PERIODS; count: number }[];

/** Parses the number of backups to keep, such as `7 daily, 4 weekly`. */
export function parseKeep(text: string): BackupKeep | undefined {
  const keep: BackupKeep = [];
  for (const part of text.split(',')) {
    const [, count, name] = /^([1-9]\d{0,3}) (\w+)$/.exec(part.trim()) ?? [];
    const period = PERIOD_NAMES.find((known) => known === name);
    if (period === undefined || keep.some((other) => other.period === period)) return undefined;
    keep.push({ period, count: Number(count) });
  }
  return keep;
}

const PERIOD_NAMES = ['hourly', 'daily', 'weekly', 'monthly'] as const;

/**
 * The times of the backups to remove; the newest is always kept. Periods without a backup are not counted, so old
 * backups remain if new ones are missing or if the clock is wrong.
 */
export function findExpiredBackups(timesMs: readonly number[], keep: BackupKeep): number[] {
  const newestFirst = timesMs.toSorted((one, other) => other - one);
  const kept = new Set(newestFirst.slice(0, 1));
  for (const { period, count } of keep) {
    const newest = new Map<number, number>();
    for (const timeMs of newestFirst) {
      const start = PERIODS[period](new Date(timeMs)).getTime();
      if (!newest.has(start)) newest.set(start, timeMs);
    }
    for (const timeMs of [...newest.values()].slice(0, count)) kept.add(timeMs);
  }
  return newestFirst.filter((timeMs) => !kept.has(timeMs));
}

/** The names of scheduled backups. Retention removes only files with such a name and their digests. */
const NAME = /^listings-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

export function backupNameAt(timeMs: number): string {
  return `listings-${new Date(timeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`;
}

/** The time in a scheduled backup's name; undefined for other files. */
export function timeOfBackup(name: string): number | undefined {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
