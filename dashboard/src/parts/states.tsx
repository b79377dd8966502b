import { Button, Group, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client';
import { describeError } from '../lib/errors';
import { reloadIfReachable } from '../lib/lazy-page';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={56} px="md">
      <ThemeIcon variant="default" size={44} radius="lg" c="dimmed" aria-hidden>
        <Icon size={22} />
      </ThemeIcon>
      <Title order={2} mt="xs" ta="center">
        {title}
      </Title>
      <Text c="dimmed" size="sm" ta="center" maw={420} component="div">
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

export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div role="alert">
      <EmptyState
        icon={CircleAlert}
        title="This page couldn’t be loaded"
        action={<Button onClick={onRetry}>Try again</Button>}
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

/** A placeholder for rows that are loading. */
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

export function PageError({ error }: ErrorComponentProps) {
  return <ErrorState error={error} onRetry={reloadIfReachable} />;
}

/** A placeholder for a page whose code is loading. */
export function LoadingPage() {
  return (
    <>
      <Skeleton height={26} width={180} mb="xl" mt={4} />
      <div className="card">
        <LoadingRows />
      </div>
    </>
  );
}
