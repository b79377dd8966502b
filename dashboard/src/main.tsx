import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries';
import { router } from './router';
import { cssVariables, theme } from './theme';

/** Styles made by scripts are allowed by a number that is new in every page (Content-Security-Policy). */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

// Back from elsewhere the browser may show the page as it was left: with a key in a dialog, or of a session that is over.
window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());

// A newer release has other files: the page that is open asks for some that are gone.
window.addEventListener('vite:preloadError', () => window.location.reload());

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the dashboard');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        {/* Where no control is: those are at the sides. */}
        <Notifications position="bottom-center" limit={4} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
