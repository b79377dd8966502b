import { Button, Group, Stack, Text } from '@mantine/core';
import type { Query } from '../../api/client';
import type { FeedRun } from '../../api/types';
import { formatCount } from '../../lib/format';
import { ErrorNote, Note } from '../../parts/form';
import { UploadProgress } from '../../parts/upload-progress';
import { ColumnIssues } from '../listings/column-issues';
import { FileDrop } from '../listings/file-drop';
import { Plan } from './plan';
import { useFeedFile } from './use-feed-file';

interface SendFeedFileProps {
  name: string;
  /** Settings of the run that differ from those of the feed. */
  parameters: Query;
  isSkipping: boolean;
  onSkip: (isSkipping: boolean) => void;
  onDone: (run: FeedRun) => Promise<void>;
}

/** Drop a file, check it, and apply exactly what the check has shown. */
export function SendFeedFile({ name, parameters, isSkipping, onSkip, onDone }: SendFeedFileProps) {
  const { file, plan, columnIssues, error, progress, ...sending } = useFeedFile(name, parameters, onDone);
  const isBusy = progress !== undefined;
  const isStopped = plan !== undefined && plan.guard.length > 0;
  return (
    <Stack>
      <FileDrop file={file} onChoose={sending.choose} isDisabled={isBusy} />
      <ErrorNote>{error}</ErrorNote>
      {columnIssues && <ColumnIssues issues={columnIssues} isIgnored={isSkipping} onIgnore={onSkip} />}
      {plan !== undefined && (
        <>
          {isStopped && (
            <Note color="yellow" title="The guard would stop this run">
              {plan.guard.map(({ reason, message }) => (
                <Text key={reason} size="sm">
                  {message}
                </Text>
              ))}
            </Note>
          )}
          <Plan plan={plan} />
        </>
      )}
      {isBusy && (
        <UploadProgress
          label="File"
          fraction={progress}
          next="Comparing the file with the listings…"
          onStop={sending.stop}
        />
      )}
      {file !== undefined && (
        <Group justify="flex-end" gap="xs">
          <Button
            variant={plan === undefined ? 'filled' : 'default'}
            disabled={isBusy || name === ''}
            onClick={() => sending.check(file)}
          >
            {plan === undefined ? 'Check the file' : 'Check again'}
          </Button>
          {plan !== undefined && (
            <Button disabled={isBusy} onClick={sending.apply} {...(isStopped && { color: 'red.8' })}>
              {isStopped ? 'Apply anyway' : `Apply ${formatCount(changesOf(plan), 'change')}`}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}

function changesOf({
  created,
  updated,
  withdrawn,
  deleted,
}: Pick<FeedRun, 'created' | 'updated' | 'withdrawn' | 'deleted'>) {
  return created + updated + withdrawn + deleted;
}
