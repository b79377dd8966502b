import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { changeImport, chooseFile, startImport, stopImport, useImport } from '../../lib/running-import';
import { ErrorNote } from '../../parts/form';
import { Page } from '../../parts/page';
import { BackLink } from './back';
import { ColumnIssues } from './column-issues';
import { FileDrop } from './file-drop';
import { ImportColumns } from './import-columns';
import { Report } from './import-report';

export function ImportPage() {
  const { file, ignoreUnknown, columnIssues, error, result, progress, isSeen } = useImport();
  const isBusy = progress !== undefined;
  useEffect(() => {
    if (!isBusy && !isSeen) changeImport({ isSeen: true });
  }, [isBusy, isSeen]);

  // A second import would duplicate listings without an external ID.
  const isImported = result?.isDryRun === false && error === undefined;

  return (
    <Page
      title="Import"
      above={<BackLink />}
      description={
        <>
          Import many listings from a file. A row with a known <code>externalId</code> updates that listing; a row
          without one always creates a new listing.
        </>
      }
    >
      <Stack>
        <FileDrop file={file} onChoose={chooseFile} isDisabled={isBusy} />
        <ErrorNote>{error}</ErrorNote>
        {columnIssues.length > 0 && !isImported && (
          <ColumnIssues
            issues={columnIssues}
            isIgnored={ignoreUnknown}
            onIgnore={(ignored) => changeImport({ ignoreUnknown: ignored })}
          />
        )}
        {file !== undefined && !isImported && (
          <Group justify="flex-end" gap="xs">
            <Button variant="default" disabled={isBusy} onClick={() => startImport(true)}>
              Check only
            </Button>
            <Button loading={isBusy} onClick={() => startImport(false)}>
              Import
            </Button>
          </Group>
        )}
        {progress !== undefined && <Uploading progress={progress} />}
        {result !== undefined && <Report {...result} />}
        {isImported && (
          <Group justify="flex-end">
            <Button renderRoot={(props) => <Link to="/listings" {...props} />}>Go to listings</Button>
          </Group>
        )}
        <ImportColumns />
      </Stack>
    </Page>
  );
}

function Uploading({ progress }: { progress: number }) {
  const percent = Math.round(progress * 100);
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Progress value={percent} aria-label="Import" animated={percent === 100} />
        <Text size="sm" c="dimmed" role="status">
          {percent < 100 ? `${percent}% uploaded` : 'Uploaded. Saving the last rows…'}
        </Text>
      </Stack>
      <Button size="xs" variant="default" onClick={stopImport}>
        Stop
      </Button>
    </Group>
  );
}
