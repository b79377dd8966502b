import { Anchor, Button, Checkbox, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ChevronLeft, FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { ApiError } from '../../api/client';
import { refreshListings } from '../../api/queries';
import type { ImportReport } from '../../api/types';
import { upload } from '../../api/upload';
import { useFaults } from '../../lib/faults';
import { formatBytes } from '../../lib/format';
import { FormError } from '../../parts/form-error';
import { Page } from '../../parts/page';
import { Report } from './import-report';

/** Many listings at once from a file; what is refused is told row by row. */
export function ImportPage() {
  const [file, setFile] = useState<File>();
  const [ignoreUnknown, setIgnoreUnknown] = useState(false);
  const { faults, isBusy, submit, clear } = useFaults(() => false);
  const [progress, setProgress] = useState(0);
  const [result, setResult] = useState<{ report: ImportReport; isDryRun: boolean }>();
  const running = useRef(new AbortController());

  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    setResult(undefined);
    clear();
  };
  const send = (isDryRun: boolean) =>
    submit(async () => {
      if (file === undefined) return;
      setProgress(0);
      setResult(undefined);
      running.current = new AbortController();
      const query = { dryRun: isDryRun ? 'true' : undefined, ignoreUnknown: ignoreUnknown ? 'true' : undefined };
      const { signal } = running.current;
      const type = typeOf(file);
      try {
        const report = await upload<ImportReport>('/admin/imports', query, file, type, setProgress, signal);
        setResult({ report, isDryRun });
      } catch (error) {
        // A file that could not be read to its end: what came of the rows before.
        if (error instanceof ApiError && isReport(error.members)) setResult({ report: error.members, isDryRun });
        throw error;
      } finally {
        void refreshListings();
      }
    });

  return (
    <Page
      title="Import"
      above={
        <Anchor
          size="sm"
          c="dimmed"
          mb="xs"
          className="back-link"
          renderRoot={(props) => <Link to="/listings" {...props} />}
        >
          <ChevronLeft size={15} aria-hidden /> Back
        </Anchor>
      }
      description={
        <>
          A CSV file whose first row names the fields, as <code>address,beds,baths</code> or RESO’s names. Rows with an{' '}
          <code>externalId</code> that is known change that listing, so the same file can be imported again.
        </>
      }
    >
      <Stack>
        <FileDrop file={file} onChoose={choose} isDisabled={isBusy} />
        <FormError>{faults.general}</FormError>
        {file !== undefined && (
          <Group justify="space-between">
            <Checkbox
              label="Skip columns that the service does not know"
              checked={ignoreUnknown}
              disabled={isBusy}
              onChange={({ currentTarget }) => setIgnoreUnknown(currentTarget.checked)}
            />
            <Group gap="xs">
              <Button variant="default" disabled={isBusy} onClick={() => send(true)}>
                Check only
              </Button>
              <Button loading={isBusy} onClick={() => send(false)}>
                Import
              </Button>
            </Group>
          </Group>
        )}
        {isBusy && <Sending progress={progress} onStop={() => running.current.abort()} />}
        {result !== undefined && <Report {...result} />}
      </Stack>
    </Page>
  );
}

function Sending({ progress, onStop }: { progress: number; onStop: () => void }) {
  const percent = Math.round(progress * 100);
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Progress value={percent} aria-label="Import" animated={percent === 100} />
        <Text size="sm" c="dimmed" role="status">
          {percent < 100 ? `${percent} % sent` : 'All is sent; the last rows are being saved'}
        </Text>
      </Stack>
      <Button size="xs" variant="default" onClick={onStop}>
        Stop
      </Button>
    </Group>
  );
}

interface FileDropProps {
  file: File | undefined;
  onChoose: (file: File | undefined) => void;
  isDisabled: boolean;
}

function FileDrop({ file, onChoose, isDisabled }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isDisabled) onChoose(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is the mouse's way; the button below is the keyboard's
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp size={24} aria-hidden />
      <Text fw={500} mt="xs">
        {file === undefined ? 'Drop a file here' : <bdi>{file.name}</bdi>}
      </Text>
      <Text size="sm" c="dimmed" mb="md">
        {file === undefined ? 'CSV, NDJSON or a JSON array, of any length' : formatBytes(file.size)}
      </Text>
      <Button variant="default" disabled={isDisabled} onClick={() => input.current?.click()}>
        {file === undefined ? 'Choose a file' : 'Choose another file'}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File"
        accept=".csv,.ndjson,.jsonl,.json,text/csv"
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.files?.[0]);
          // The same file can be chosen again once it was mended.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

function isReport(members: object): members is ImportReport {
  return 'created' in members && 'errors' in members;
}

const TYPES: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

function typeOf({ name }: File): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/csv';
}
