import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

// Browsers that have light-dark(), which the colours use.
const browsers = ['chrome123', 'firefox120', 'safari17.5']

export default defineConfig({
  // The server puts the way to the root in front of these paths.
  base: './',
  plugins: [react(), themeScript()],
  // Mails have no scripts, so the editor needs no language for them. It would be a sixth of its size.
  resolve: { alias: { '@codemirror/lang-javascript': new URL('./src/ui/plain-scripts.ts', import.meta.url).pathname } },
  build: {
    target: browsers,
    cssTarget: browsers,
    // A file that is part of the page is forbidden by its policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
})

/** Adds the script that sets the theme before the first paint. A module would run after it. */
function themeScript(): Plugin {
  return {
    name: 'theme-script',
    apply: 'build',
    buildStart() {
      const source = readFileSync(new URL('./theme.js', import.meta.url), 'utf8')
      this.emitFile({ type: 'asset', name: 'theme.js', source })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const file = Object.keys(bundle).find((name) => name.startsWith('assets/theme-'))
        return [{ tag: 'script', attrs: { src: `./${file}` }, injectTo: 'head' }]
      },
    },
  }
}
