import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Compass } from 'lucide-react';
import { sessionQuery } from '../api/queries';
import { ButtonLink } from '../parts/links';
import { EmptyState } from '../parts/states';
import { Frame } from './frame';

/** The page for paths that do not exist. Users who are signed in still see the navigation. */
export function LostPage() {
  const { data: session, isPending } = useQuery(sessionQuery);
  if (isPending) return null;
  if (session) return <Frame content={<NotFound />} />;
  return (
    <main>
      <NotFound />
    </main>
  );
}

function NotFound() {
  return (
    <>
      <VisuallyHidden>
        <h1>Not found</h1>
      </VisuallyHidden>
      <EmptyState icon={Compass} title="Page not found" action={<ButtonLink to="/">Go to overview</ButtonLink>}>
        Check the address. The page may have been removed.
      </EmptyState>
    </>
  );
}
