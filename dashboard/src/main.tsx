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

// After an update of the service, the scripts of the old page are gone. One reload gets the new ones.
window.addEventListener('vite:preloadError', (event) => {
  const reloadedFor = sessionStorage.getItem('easel.reloaded')
  if (reloadedFor === document.URL) return
  sessionStorage.setItem('easel.reloaded', document.URL)
  event.preventDefault()
  location.reload()
})

createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
