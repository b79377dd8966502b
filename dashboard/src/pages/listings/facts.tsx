import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Listing } from '../../api/admin';
import { CardSection } from '../../parts/page';
import { FORM_FIELDS, formatField } from './form-fields';

/** Fields that are shown elsewhere on the page. */
const ELSEWHERE = new Set(['address', 'status', 'currency', 'livingAreaUnits', 'lotSizeUnits', 'description']);
const FACTS = FORM_FIELDS.filter(({ name, kind }) => !ELSEWHERE.has(name) && kind !== 'degrees');

export function Facts({ listing }: { listing: Listing }) {
  const { description, metadata = {}, feed } = listing;
  const facts = FACTS.filter(({ name }) => listing[name] !== undefined);
  return (
    <CardSection title="Details">
      <dl className="fact-grid">
        {facts.map(({ name, label }) => (
          <Fact key={name} label={label}>
            {formatField(name, listing[name], listing)}
          </Fact>
        ))}
        {feed !== undefined && <Fact label="Feed">{feed}</Fact>}
        {Object.entries(metadata).map(([name, value]) => (
          <Fact key={`metadata ${name}`} label={name}>
            {String(value)}
          </Fact>
        ))}
      </dl>
      {description !== undefined && (
        <Text size="sm" mt="lg" style={{ whiteSpace: 'pre-wrap' }}>
          <bdi>{description}</bdi>
        </Text>
      )}
    </CardSection>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" c="dimmed" fz={12.5}>
        <bdi>{label}</bdi>
      </Text>
      <Box component="dd" m={0} mt={2}>
        <bdi>{children}</bdi>
      </Box>
    </div>
  );
}
