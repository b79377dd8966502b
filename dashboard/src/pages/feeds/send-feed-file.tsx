import { Button, Group, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { FeedRun } from '../../api/admin';
import type { UploadQuery } from '../../api/client';
import { findRepeated, isSkipping, type Targets, toMapPatch } from '../../lib/columns';
import { formatCount } from '../../lib/format';
import { ErrorNote, Note } from '../../parts/form';
import { LoadingRows } from '../../parts/states';
import { describeUpload, Steps, UploadProgress } from '../../parts/upload-progress';
import { ColumnMapping, MappingSummary } from '../listings/column-mapping';
import { FileWarnings } from '../listings/failed-rows';
import { FileDrop } from '../listings/file-drop';
import { Plan } from './plan';
import { useFeedFile } from './use-feed-file';

/** The feed settings that concern the columns of its files. */
export interface ColumnSettings {
  /** A merge patch. */
  map: Record<string, string | null>;
  ignoreUnknown?: boolean;
}

interface SendFeedFileProps {
  name: string;
  /** Settings of the run that differ from those of the feed. */
  parameters?: UploadQuery;
  /** The mapping that is stored in the feed's settings. */
  stored?: Targets;
  onApply?: () => void;
  /**
   * Called after the file has been applied, even if the user has left the page. If the user has stayed, the run's page
   * then opens.
   */
  onDone: (columns: ColumnSettings) => Promise<void>;
}

const NO_MAP = {};
const STEPS = ['File', 'Columns', 'Check'];

/** Lets the user choose a file, map its columns to fields, check it, and apply exactly what the check has shown. */
export function SendFeedFile({ name, parameters = {}, stored = NO_MAP, onApply, onDone }: SendFeedFileProps) {
  const navigate = useNavigate();
  const isOpen = useIsOpen();
  const finish = async ({ id, feed }: FeedRun) => {
    const mapping = { columns, targets };
    await onDone({ map: toMapPatch(mapping, stored), ...(isSkipping(mapping) && { ignoreUnknown: true }) });
    if (isOpen.current) await navigate({ to: '/feeds/$name/runs/$runId', params: { name: feed, runId: id } });
  };
  const sending = useFeedFile(name, parameters, stored, finish);
  const { file, columns = [], targets, plan, error, progress } = sending;
  const isBusy = progress !== undefined;
  const isStopped = plan !== undefined && plan.guard.length > 0;
  const isUnusable = plan?.guard.some(({ reason }) => reason === 'empty' || reason === 'cut');
  const isReading = file !== undefined && sending.columns === undefined;
  const mapping = { columns, targets, onChange: sending.map };
  const isReady = columns.length > 0 && !isBusy;
  const changes = plan === undefined ? 0 : plan.created + plan.updated + plan.withdrawn + plan.deleted;
  const apply = () => {
    onApply?.();
    void sending.apply();
  };
  return (
    <Stack>
      <Steps names={STEPS} current={[isReading || columns.length === 0, plan === undefined, true].indexOf(true)} />
      <FileDrop file={file} onChoose={sending.choose} isDisabled={isBusy} />
      <ErrorNote>{error}</ErrorNote>
      {isReading && <LoadingRows count={4} />}
      {isReady && plan === undefined && (
        <>
          <MappingSummary {...mapping} />
          <ColumnMapping {...mapping} />
        </>
      )}
      {plan !== undefined && (
        <>
          {isStopped && (
            <Note color="yellow" title="The guard would stop this run">
              {plan.guard.map(({ reason, message }) => (
                <Text key={reason} size="sm">
                  {message.replace(/^./, (first) => first.toUpperCase())}.
                </Text>
              ))}
              {isUnusable && <Text size="sm">Choose the complete file.</Text>}
            </Note>
          )}
          <FileWarnings warnings={plan.warnings} />
          <Plan plan={plan} />
        </>
      )}
      {isBusy && (
        <UploadProgress label="File" fraction={progress} onStop={sending.stop}>
          {describeUpload(progress, 'Comparing the file with the listings…')}
        </UploadProgress>
      )}
      {isReady && (
        <Group justify="flex-end" gap="xs">
          {plan === undefined ? (
            <Button variant="filled" disabled={name === '' || findRepeated(targets).size > 0} onClick={sending.check}>
              Check the file
            </Button>
          ) : (
            <>
              <Button onClick={() => sending.map(targets)}>Back to columns</Button>
              {!isUnusable && (
                <Button variant="filled" disabled={name === ''} onClick={apply} {...(isStopped && { color: 'red.8' })}>
                  {isStopped ? 'Apply anyway' : `Apply ${formatCount(changes, 'change')}`}
                </Button>
              )}
            </>
          )}
        </Group>
      )}
    </Stack>
  );
}

function useIsOpen() {
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return isOpen;
}
