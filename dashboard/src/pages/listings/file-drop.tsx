import { Button, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { FileUp } from 'lucide-react';
import { useRef } from 'react';
import { formatBytes } from '../../lib/format';

interface FileDropProps {
  file: File | undefined;
  onChoose: (file: File | undefined) => void;
  isDisabled: boolean;
}

/** Accepts any file. The extension of its name determines the format, which is CSV by default. */
export function FileDrop({ file, onChoose, isDisabled }: FileDropProps) {
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      unstyled
      className="drop"
      data-chosen={file !== undefined || undefined}
      openRef={open}
      multiple={false}
      disabled={isDisabled}
      activateOnClick={false}
      activateOnKeyboard={false}
      useFsAccessApi={false}
      inputProps={{ 'aria-label': 'File', accept: '.csv,.tsv,.tab,.txt,.ndjson,.jsonl,.json,text/csv' }}
      onDrop={([dropped]) => onChoose(dropped)}
      // If the user drops several files, use the first one.
      onReject={([rejected]) => onChoose(rejected?.file)}
    >
      {file === undefined && <FileUp size={24} aria-hidden />}
      <Text fw={500} mt="xs">
        {file === undefined ? 'Drop a file here' : <bdi>{file.name}</bdi>}
      </Text>
      <Text size="sm" c="dimmed" mb="md">
        {file === undefined ? 'CSV, NDJSON, or a JSON array of any size' : formatBytes(file.size)}
      </Text>
      <Button disabled={isDisabled} onClick={() => open.current?.()}>
        {file === undefined ? 'Choose file' : 'Choose another file'}
      </Button>
    </Dropzone>
  );
}
