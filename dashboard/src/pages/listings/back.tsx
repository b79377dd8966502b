import { Anchor } from '@mantine/core';
import { Link, useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';

export function BackLink() {
  const leave = useLeave();
  return (
    <Anchor
      size="sm"
      c="dimmed"
      mb="xs"
      className="back-link"
      renderRoot={(props) => (
        <Link
          to="/listings"
          {...props}
          onClick={(event) => {
            // With a modifier key, let the browser open the link in another tab or window.
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            leave();
          }}
        />
      )}
    >
      <ChevronLeft size={15} aria-hidden /> Back
    </Anchor>
  );
}

/** Goes back to the list with its page, filters, and order. */
export function useLeave(): () => void {
  const canGoBack = useCanGoBack();
  const { history } = useRouter();
  const navigate = useNavigate();
  return () => {
    if (canGoBack) history.back();
    else void navigate({ to: '/listings' });
  };
}
