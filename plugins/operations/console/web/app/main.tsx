import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onSessionLost, onSessionStale, Refusal } from '../api/client.ts';
import { router } from './router.tsx';
import { refreshSession } from './session.ts';
import '../kit/look/base.css';
import '../kit/look/states.css';
import '../kit/look/controls.css';
import '../kit/look/parts.css';
import './shell.css';
import { retryStyleSheets } from './style-sheets.ts';
import { applyTheme } from './theme.ts';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server refuses it refuses again; a server that went away may come back.
      retry: (failures, error) => !(error instanceof Refusal && error.status < 500) && failures < 3,
      staleTime: 1000,
    },
  },
});

applyTheme();
retryStyleSheets();
onSessionStale(() => void refreshSession(client));
onSessionLost((sentIn) => void refreshSession(client, sentIn));
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
