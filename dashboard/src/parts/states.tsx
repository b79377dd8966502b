import { Button, Group, Skeleton, Stack, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { CircleAlert, Compass } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client';
import { BROKEN_PAGE } from '../lib/faults';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

/** What stands where nothing is yet: what it is for, and how to begin. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={56} px="md">
      <ThemeIcon variant="default" size={44} radius="lg" c="dimmed" aria-hidden>
        {icon}
      </ThemeIcon>
      <Title order={2} mt="xs" ta="center">
        {title}
      </Title>
      <Text c="dimmed" size="sm" ta="center" maw={420}>
        {children}
      </Text>
      {action !== undefined && (
        <Group mt="sm" gap="sm" justify="center">
          {action}
        </Group>
      )}
    </Stack>
  );
}

/** What could not be loaded, in the service's words, and a way to try again. */
export function ErrorState({ error, onRetry, action }: { error: Error; onRetry?: () => void; action?: ReactNode }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div role="alert">
      <EmptyState
        icon={<CircleAlert size={22} />}
        title="This could not be loaded"
        action={
          <>
            {action}
            {onRetry !== undefined && (
              <Button variant="default" onClick={onRetry}>
                Try again
              </Button>
            )}
          </>
        }
      >
        {describeError(error)}
        {requestId !== undefined && (
          <Text component="span" display="block" size="xs" mt={6}>
            Request {requestId}
          </Text>
        )}
      </EmptyState>
    </div>
  );
}

/** The service's words, and what it says of single fields. */
export function describeError(error: Error): string {
  if (!(error instanceof ApiError)) return BROKEN_PAGE;
  const faults = error.details.map(({ field, message }) => `${field.replace(/^query\./, '')}: ${message}`);
  return [error.summary, ...faults].join(' ');
}

/** Rows that will soon be there. */
export function LoadingRows({ count = 6 }: { count?: number | undefined }) {
  return (
    <Stack gap={0} role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => index).map((index) => (
        <Group key={index} px="md" py={15} gap="xl" wrap="nowrap">
          <Skeleton height={12} width={`${34 + ((index * 7) % 20)}%`} />
          <Skeleton height={12} width="12%" />
          <Skeleton height={12} width="18%" />
        </Group>
      ))}
    </Stack>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />;
}

export function PagePending() {
  return <LoadingRows />;
}

export function NotFoundPage() {
  return (
    <main>
      <VisuallyHidden>
        <h1>Not found</h1>
      </VisuallyHidden>
      <EmptyState
        icon={<Compass size={22} />}
        title="There is no such page"
        action={
          <Button component={Link} to="/" variant="default">
            Go to the start
          </Button>
        }
      >
        The address may be mistyped, or what was here is gone.
      </EmptyState>
    </main>
  );
}
