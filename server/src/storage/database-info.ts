import { type Session, statement } from './database.ts';

const select = statement<Record<never, never>, { cursorSecret: string }>((query) =>
  query.selectFrom('database_info').select('cursor_secret as cursorSecret'),
);

const selectId = statement<Record<never, never>, { id: number }>((query) =>
  query.selectFrom('database_info').select('id'),
);

/** @throws {AppError} `unavailable` if the database does not answer */
export async function ping(session: Session): Promise<void> {
  await session.execute(selectId, {});
}

/** What signs cursors: made with the database, so that they hold across restarts and processes. */
export async function getCursorSecret(session: Session): Promise<string> {
  const [info] = await session.execute(select, {});
  if (info === undefined) throw new Error('The database has no database_info row');
  return info.cursorSecret;
}
