import { Button, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { changeImport, chooseFile, startImport, stopImport, useImport } from '../../lib/running-import';
import { ErrorNote } from '../../parts/form';
import { Page } from '../../parts/page';
import { UploadProgress } from '../../parts/upload-progress';
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
        {progress !== undefined && (
          <UploadProgress label="Import" fraction={progress} next="Saving the last rows…" onStop={stopImport} />
        )}
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
