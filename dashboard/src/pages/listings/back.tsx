import { useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router';
import { BackTo } from '../../parts/links';

export function BackLink() {
  const leave = useLeave();
  return (
    <BackTo
      to="/listings"
      onClick={(event) => {
        // With a modifier key, let the browser open the link in another tab or window.
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        leave();
      }}
    >
      Back
    </BackTo>
  );
}

/** Goes back to the list, which keeps its page, filters, and order. */
export function useLeave(): () => void {
  const canGoBack = useCanGoBack();
  const { history } = useRouter();
  const navigate = useNavigate();
  return () => {
    if (canGoBack) history.back();
    else void navigate({ to: '/listings' });
  };
}
