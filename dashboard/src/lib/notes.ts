import { notifications } from '@mantine/notifications';

/** Says in passing that something was done; said twice, it is shown once. */
export function tell(message: string): void {
  notifications.hide(message);
  notifications.show({ id: message, message });
}

/** Says what was not done, in the service's words why. */
export function tellFailure(title: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  notifications.show({ color: 'red', title, message });
}
