import { notifications } from '@mantine/notifications';

/** A repeated message replaces the earlier one. */
export function notify(message: string): void {
  notifications.hide(message);
  notifications.show({ id: message, message });
}

export function notifyFailure(title: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  notifications.show({ color: 'red', title, message });
}

/** Tells the user if the work fails. */
export async function attempt(failure: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notifyFailure(failure, error);
  }
}
