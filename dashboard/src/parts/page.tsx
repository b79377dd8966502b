import { Box, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageProps {
  title: string;
  /** What stands in the window's title if the page's own is more than that. */
  windowTitle?: string;
  description?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
  children: ReactNode;
}

/** A page within the frame: its name, what can be done, and the rest. */
export function Page({ title, windowTitle = title, description, actions, above, children }: PageProps) {
  useDocumentTitle(`${windowTitle} · Property Listings`);
  return (
    <>
      {above}
      <Group justify="space-between" align="flex-start" mb="lg" gap="md">
        <Box flex="1 1 240px" miw={0}>
          <Title order={1} lineClamp={2} title={title}>
            <bdi>{title}</bdi>
          </Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" mt={4} maw={640} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions !== undefined && (
          <Group gap={8} className="page-actions">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </>
  );
}

/** A part of a page with its own heading. */
export function Section({ title, description, actions, children }: Omit<PageProps, 'windowTitle' | 'above'>) {
  return (
    <Box component="section" mb={36}>
      <Group justify="space-between" align="flex-end" mb="sm" gap="sm">
        <Box flex="1 1 240px" miw={0}>
          <Title order={2}>{title}</Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" mt={2} maw={640} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Box>
  );
}
