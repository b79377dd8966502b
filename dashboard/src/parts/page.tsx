import { Box, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface SectionProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

interface PageProps extends SectionProps {
  /** The title of the browser window, if it differs from the page's title. */
  windowTitle?: string;
  above?: ReactNode;
}

export function Page({ title, windowTitle = title, description, actions, above, children }: PageProps) {
  useDocumentTitle(`${windowTitle} · Property Listings`);
  return (
    <>
      {above}
      <Group justify="space-between" align="flex-start" mb="lg" gap="md">
        <Heading order={1} title={title} description={description} />
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
export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <Box component="section" mb={36}>
      <Group justify="space-between" align="flex-end" mb="sm" gap="sm">
        <Heading order={2} title={title} description={description} />
        {actions}
      </Group>
      {children}
    </Box>
  );
}

function Heading({ order, title, description }: { order: 1 | 2; title: string; description: ReactNode }) {
  return (
    <Box flex="1 1 240px" miw={0}>
      <Title order={order} lineClamp={2} title={title}>
        <bdi>{title}</bdi>
      </Title>
      {description !== undefined && (
        <Text c="dimmed" size="sm" mt={2} maw={640} component="div">
          {description}
        </Text>
      )}
    </Box>
  );
}

/** A card with a heading. */
export function CardSection({ title, children }: Pick<SectionProps, 'title' | 'children'>) {
  return (
    <section className="card form-section">
      <Title order={2} mb="md">
        {title}
      </Title>
      {children}
    </section>
  );
}
