import { notifications } from '@mantine/notifications';

/** Shows a message. If the same message is already shown, the new one replaces it. */
export function notify(message: string): void {
  notifications.hide(message);
  notifications.show({ id: message, message });
}

export function notifyFailure(title: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  notifications.show({ color: 'red', title, message });
}

/** Runs `work`, and notifies the user if it fails. */
export async function attempt(failure: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notifyFailure(failure, error);
  }
}
