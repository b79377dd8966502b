import { Button, Text } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { formatBytes } from '../../lib/format';

interface FileDropProps {
  file: File | undefined;
  onChoose: (file: File | undefined) => void;
  isDisabled: boolean;
}

export function FileDrop({ file, onChoose, isDisabled }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isDisabled) onChoose(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same
    <div
      className="drop"
      data-over={isOver || undefined}
      data-chosen={file !== undefined || undefined}
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
        {file === undefined ? 'CSV, NDJSON, or a JSON array of any size' : formatBytes(file.size)}
      </Text>
      <Button variant="default" disabled={isDisabled} onClick={() => input.current?.click()}>
        {file === undefined ? 'Choose file' : 'Choose another file'}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File"
        accept=".csv,.ndjson,.jsonl,.json,text/csv"
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.files?.[0]);
          // Otherwise, choosing the same file again would not trigger `onChange`.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
