import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries';
import { reloadForNewFiles } from './lib/lazy-page';
import { router } from './router';
import { cssVariables, theme } from './theme';

/** The Content-Security-Policy allows styles from scripts only with this nonce. */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

// Reload a page from the back-forward cache: it may show a key, or belong to a session that has ended.
window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());

reloadForNewFiles();

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element #root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-center" limit={4} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
