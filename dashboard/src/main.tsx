import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isWorthRetrying, retryDelayMs } from './api/errors.ts'
import { router } from './screens.tsx'
import './ui/base.css'

const freshMs = 10_000

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      retry: isWorthRetrying,
      retryDelay: retryDelayMs,
      // A service on this machine can be reached without a network.
      networkMode: 'always',
    },
  },
})

// After an update of the service, the files of the old page are gone. The router reloads the page once for a script that is missing; this
// makes it do the same for missing styles.
window.addEventListener('vite:preloadError', ({ payload }) => {
  if (payload.message.startsWith('Unable to preload CSS')) {
    payload.message = `Failed to fetch dynamically imported module: ${payload.message}`
  }
})

createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
