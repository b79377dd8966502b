import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { changeImport, chooseFile, startImport, stopImport, useImport } from '../../lib/running-import';
import { FormError } from '../../parts/form-error';
import { Page } from '../../parts/page';
import { BackLink } from './back';
import { ColumnFaults } from './column-faults';
import { FileDrop } from './file-drop';
import { ImportColumns } from './import-columns';
import { Report } from './import-report';

/** Many listings at once from a file; what is refused is told row by row. */
export function ImportPage() {
  const { file, ignoreUnknown, columnFaults, fault, result, progress, isSeen } = useImport();
  const isBusy = progress !== undefined;
  useEffect(() => {
    if (!isBusy && !isSeen) changeImport({ isSeen: true });
  }, [isBusy, isSeen]);

  // Sent once more, rows without an id of their own would be there twice.
  const isImported = result?.isDryRun === false && fault === undefined;

  return (
    <Page
      title="Import"
      above={<BackLink />}
      description={
        <>
          Many listings at once from a file. A row whose <code>externalId</code> (your own id) is known changes that
          listing; rows without one are new listings each time.
        </>
      }
    >
      <Stack>
        <FileDrop file={file} onChoose={chooseFile} isDisabled={isBusy} />
        <FormError>{fault}</FormError>
        {columnFaults.length > 0 && !isImported && (
          <ColumnFaults
            faults={columnFaults}
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
        {progress !== undefined && <Sending progress={progress} />}
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

function Sending({ progress }: { progress: number }) {
  const percent = Math.round(progress * 100);
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Progress value={percent} aria-label="Import" animated={percent === 100} />
        <Text size="sm" c="dimmed" role="status">
          {percent < 100 ? `${percent} % sent` : 'All is sent; the last rows are being saved'}
        </Text>
      </Stack>
      <Button size="xs" variant="default" onClick={stopImport}>
        Stop
      </Button>
    </Group>
  );
}
