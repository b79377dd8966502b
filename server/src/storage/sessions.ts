import { type Session, statement } from './database.ts';

const choose = statement<{ id: string; accountId: string }>((query, parameter) =>
  query
    .updateTable('sessions')
    .set({ account_id: parameter('accountId') })
    .where('id', '=', parameter('id')),
);

/** Notes in which account a session works from now on. */
export async function setSessionAccount(session: Session, id: string, accountId: string): Promise<void> {
  await session.execute(choose, { id, accountId });
}
