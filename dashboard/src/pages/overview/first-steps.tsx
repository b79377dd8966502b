import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, Plus } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { Listing } from '../../api/types';
import { CopyIcon } from '../../parts/copy-button';
import { Page } from '../../parts/page';
import { usePresent } from '../../shell/session';
import { GenerateApiKey } from '../settings/generate-api-key';
import { createLine } from '../settings/show-api-key';
import { useFirstListing } from './use-first-listing';

/** Stands where the key goes: that is shown once and kept nowhere. */
const PLACEHOLDER = 'API_KEY';

/** The way to the first listing; from there one goes to the Overview. */
export function FirstSteps({ hasKey, onEnd }: { hasKey: boolean; onEnd: () => Promise<void> }) {
  const { user } = usePresent();
  const [isGenerating, generating] = useDisclosure();
  const shownLine = useRef<HTMLElement>(null);
  const listing = useFirstListing();
  const line = createLine(PLACEHOLDER);

  return (
    <Page
      title={`Welcome, ${user.name}`}
      windowTitle="First steps"
      description="Three steps to your first listing over the API."
    >
      <div className="card">
        <Step number={1} title="Make a key" isDone={hasKey}>
          <Text size="sm" c="dimmed">
            A key lets a program work with this account.
          </Text>
          <Group>
            <Button variant={hasKey ? 'default' : 'filled'} leftSection={<Plus size={16} />} onClick={generating.open}>
              Generate API Key
            </Button>
          </Group>
        </Step>
        <Step number={2} title="Copy this line into a terminal" isDone={listing !== undefined}>
          <Text size="sm" c="dimmed">
            It is shown together with your new key, and has it in it: copy it there. Here it stands with{' '}
            <code>{PLACEHOLDER}</code> in the key’s place.
          </Text>
          <code className="secret" ref={shownLine}>
            {line}
          </code>
          <CopyIcon text={line} shown={shownLine} label={`Copy the line with ${PLACEHOLDER} in it`} />
        </Step>
        <Step number={3} title="Watch it appear" isDone={listing !== undefined}>
          {listing === undefined ? <Waiting /> : <Arrived listing={listing} onEnd={onEnd} />}
        </Step>
      </div>
      <Text size="sm" c="dimmed" mt="lg">
        No terminal at hand?{' '}
        <Anchor size="sm" renderRoot={(props) => <Link to="/listings/new" {...props} />}>
          Create one by hand
        </Anchor>{' '}
        or{' '}
        <Anchor size="sm" renderRoot={(props) => <Link to="/listings/import" {...props} />}>
          import a file
        </Anchor>
        .
      </Text>
      <GenerateApiKey isOpen={isGenerating} onClose={generating.close} />
    </Page>
  );
}

function Step({
  number,
  title,
  isDone,
  children,
}: {
  number: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}) {
  return (
    <section className="step">
      <span className="step-number" data-done={isDone || undefined} aria-hidden>
        {isDone ? <Check size={15} /> : number}
      </span>
      <Stack gap="sm" flex={1} miw={0}>
        <Title order={2}>
          {title}
          {isDone && <span className="visually-hidden"> (done)</span>}
        </Title>
        {children}
      </Stack>
    </section>
  );
}

function Waiting() {
  return (
    <Group gap={10} role="status" wrap="nowrap">
      <span className="pulse" aria-hidden />
      <Text size="sm" c="dimmed">
        Waiting for the first listing. It shows up here by itself.
      </Text>
    </Group>
  );
}

interface ArrivedProps {
  listing: Listing;
  onEnd: () => Promise<void>;
}

function Arrived({ listing: { id, address, beds, baths }, onEnd }: ArrivedProps) {
  const navigate = useNavigate();
  return (
    <>
      <Text size="sm" role="status">
        <strong>
          <bdi>{address}</bdi>
        </strong>
        , {beds} beds, {baths} baths. It is there.
      </Text>
      <Group gap="xs">
        <Button onClick={onEnd}>Go to the overview</Button>
        <Button variant="default" onClick={() => navigate({ to: '/listings/$id', params: { id } })}>
          Open it
        </Button>
      </Group>
    </>
  );
}
