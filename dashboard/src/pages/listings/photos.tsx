import { ActionIcon, Anchor, Group, Modal, Text, UnstyledButton } from '@mantine/core';
import { ChevronLeft, ChevronRight, ImageOff } from 'lucide-react';
import { useState } from 'react';
import type { Photo } from '../../api/admin';

/** How many photos the page shows; the viewer shows all of them. */
const SHOWN_MAX = 5;

export function Photos({ photos }: { photos: Photo[] }) {
  const [open, setOpen] = useState<number>();
  if (photos.length === 0) return null;
  const hidden = photos.length - SHOWN_MAX;
  return (
    <>
      <section className="photos" aria-label="Photos" data-count={Math.min(photos.length, SHOWN_MAX)}>
        {photos.slice(0, SHOWN_MAX).map((photo, index) => (
          <UnstyledButton
            // biome-ignore lint/suspicious/noArrayIndexKey: a URL may be listed twice
            key={index}
            className="photo"
            aria-label={`Open photo ${index + 1} of ${photos.length}`}
            onClick={() => setOpen(index)}
          >
            <Image photo={photo} />
            {index === SHOWN_MAX - 1 && hidden > 0 && <span className="photo-more">+{hidden}</span>}
          </UnstyledButton>
        ))}
      </section>
      <Viewer photos={photos} index={open} onChange={setOpen} />
    </>
  );
}

interface ViewerProps {
  photos: Photo[];
  /** Undefined while the viewer is closed. */
  index: number | undefined;
  onChange: (index: number | undefined) => void;
}

function Viewer({ photos, index: opened, onChange }: ViewerProps) {
  const index = opened ?? 0;
  const photo = photos[index];
  const move = (step: number) => onChange((index + step + photos.length) % photos.length);
  return (
    <Modal
      opened={opened !== undefined}
      onClose={() => onChange(undefined)}
      title={`Photo ${index + 1} of ${photos.length}`}
      size="min(1100px, 100%)"
      withCloseButton
      onKeyDown={({ key }) => {
        if (key === 'ArrowRight') move(1);
        if (key === 'ArrowLeft') move(-1);
      }}
    >
      {photo !== undefined && (
        <>
          <div className="photo-full">
            <Image key={photo.url} photo={photo} />
          </div>
          <Group justify="space-between" mt="sm" wrap="nowrap">
            <Text size="sm" miw={0}>
              <bdi>{photo.caption}</bdi>{' '}
              <Anchor size="sm" href={photo.url} target="_blank" rel="noreferrer">
                Open the original
              </Anchor>
            </Text>
            {photos.length > 1 && (
              <Group gap={6} wrap="nowrap">
                <ActionIcon variant="default" aria-label="Previous photo" onClick={() => move(-1)}>
                  <ChevronLeft size={16} />
                </ActionIcon>
                <ActionIcon variant="default" aria-label="Next photo" onClick={() => move(1)} data-autofocus>
                  <ChevronRight size={16} />
                </ActionIcon>
              </Group>
            )}
          </Group>
        </>
      )}
    </Modal>
  );
}

/** A photo. The photo's host learns the IP address of the user, but not which page the user views. */
function Image({ photo: { url, caption = '' } }: { photo: Photo }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) {
    return (
      <span className="photo-broken">
        <ImageOff size={22} aria-hidden />
        This photo can’t be loaded.
      </span>
    );
  }
  return (
    <img
      src={url}
      alt={caption}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}
