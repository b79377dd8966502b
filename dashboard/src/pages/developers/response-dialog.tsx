import { Modal, Stack, Text } from '@mantine/core';
import type { WebhookTest } from '../../api/admin';
import { formatDuration, formatNumber } from '../../lib/format';
import { Facts } from '../../parts/facts';
import { TextLink } from '../../parts/links';
import { StatusCode } from '../../parts/state-badge';

type Attempt = Pick<WebhookTest, 'id' | 'status' | 'durationMs' | 'response' | 'error'>;

interface ResponseDialogProps {
  title: string;
  /** The attempt to show; if undefined, the dialog is closed. */
  attempt: Attempt | undefined;
  /** The sequence of the delivered event; undefined for a test, and for events that are no longer available. */
  sequence?: number | undefined;
  onClose: () => void;
}

/** Shows an endpoint's response, or why there is none. The body is shown as plain text, never as markup. */
export function ResponseDialog({ title, attempt, sequence, onClose }: ResponseDialogProps) {
  return (
    <Modal opened={attempt !== undefined} onClose={onClose} title={title} size={560} withCloseButton>
      {attempt && <Response attempt={attempt} sequence={sequence} />}
    </Modal>
  );
}

function Response({ attempt, sequence }: { attempt: Attempt; sequence: number | undefined }) {
  const { id, status, durationMs, response, error } = attempt;
  return (
    <Stack>
      <Facts
        facts={{
          'webhook-id': <code>{id}</code>,
          Event: sequence !== undefined && (
            <TextLink to="/developers/events" search={{ at: String(sequence) }}>
              Event {formatNumber(sequence)}
            </TextLink>
          ),
          Status: <StatusCode status={status} />,
          Duration: durationMs !== null && formatDuration(durationMs),
          Error: error,
        }}
      />
      {response !== null && (
        <section>
          <Text size="sm" fw={600} mb={6}>
            Response
          </Text>
          <code className="secret">{response === '' ? '(empty)' : response}</code>
        </section>
      )}
    </Stack>
  );
}
